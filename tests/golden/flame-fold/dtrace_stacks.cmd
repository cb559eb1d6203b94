flame-fold $DATA/dtrace/stacks.txt
flame-fold $DATA/dtrace/keys.txt
flame-fold --compat inferno $DATA/dtrace/stacks.txt
flame-fold --includeoffset --keep idle $DATA/dtrace/stacks.txt
