"""Relations of entity pairs from distantly supervised bags (Haffari, Nagesh and Ramakrishnan 2015)."""
