sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# No state of the JDK's is STATE_DEFAULT; --cpu means cpu samples.
jfr2flame -q --cpu -o collapsed data/jfr/jdk17-profile.jfr.gz | sum
jfr2flame -q --cpu -o collapsed data/jfr/jdk25-cputime.jfr | sum
jfr2flame -q --cpu -o collapsed data/jfr/jdk17-multichunk.jfr.gz | sum
