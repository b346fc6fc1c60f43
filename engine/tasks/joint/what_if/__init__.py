"""What other decisions would tell: under other pins (`runner_up`), other constraints (`ledger`), or where a relation is
known to hold (`forced`). Everything starts from scores that were computed once, and decides anew."""
