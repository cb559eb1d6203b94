# Refused by whatever name, and the input stays as it is.
cp data/jfr/spark-lock.jfr in.collapsed
ln in.collapsed link.collapsed
ln -s in.collapsed soft.collapsed
jfr2flame -q in.collapsed in.collapsed
echo $?
jfr2flame -q -o in.collapsed ./in.collapsed
echo $?
jfr2flame -q link.collapsed in.collapsed
echo $?
jfr2flame -q soft.collapsed in.collapsed
echo $?
cmp in.collapsed data/jfr/spark-lock.jfr
exit 2
