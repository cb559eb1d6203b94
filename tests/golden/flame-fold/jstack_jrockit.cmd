# Frames have their signature where they are native; states follow "alive".
flame-fold --by thread,state $DATA/jstack/jrockit.txt 2>&1
flame-fold --event list $DATA/jstack/jrockit.txt
grep -c '^    at ' $DATA/jstack/jrockit.txt
flame-fold $DATA/jstack/jrockit.txt | awk -F';' '{ n += NF } END { print n }'
# In UTF-16 without a byte order mark.
flame-fold $DATA/jstack/jrockit.txt > as8
iconv -f UTF-8 -t UTF-16LE $DATA/jstack/jrockit.txt | flame-fold | cmp - as8
iconv -f UTF-8 -t UTF-16BE $DATA/jstack/jrockit.txt | flame-fold | cmp - as8
# tid= without 0x is a thread's only where nid= follows.
printf '"GET /x" prio=5 tid=12\n\tat a.B.c(D.java:1)\n\n' | flame-fold 2>&1 | cut -c 1-70
