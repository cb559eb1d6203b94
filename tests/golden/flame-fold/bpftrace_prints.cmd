# Two pointers with one stack; 96 bytes in all, as no print was cleared.
flame-fold --event live data/bpftrace/live.txt
flame-fold --event bytes data/bpftrace/live.txt
