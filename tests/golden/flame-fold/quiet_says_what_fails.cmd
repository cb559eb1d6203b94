# A status for a loss comes with a line that says what was lost.
gzip -dc data/jfr/jdk17-profile.jfr.gz | head -c 3000 >lost.jfr
flame-fold -q lost.jfr
echo $?
flame-fold -q --partial fail lost.jfr data/jfr/spark-killed.jfr >stacks
echo $?
flame-fold -q data/jfr/spark-killed.jfr lost.jfr >stacks
echo $?
flame-fold -q --info lost.jfr | sed -n 1p
