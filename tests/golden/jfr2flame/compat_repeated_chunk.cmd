# A chunk of two inputs counts once, and as jfrconv has it: twice.
mkjfr data/jfr-text/plain.txt >a.jfr
sum() { awk '{ n += $NF } END { print n }'; }
jfr2flame --collapsed a.jfr | sum
cat a.jfr a.jfr >both.jfr
jfr2flame -q --collapsed both.jfr | sum
jfr2flame --compat jfrconv --collapsed both.jfr | sum
