"""What-if analyses: decisions under other pins (`runner_up`), under other constraints (`ledger`), or given that a
relation holds (`forced`). All of them start from existing scores and decide again."""
