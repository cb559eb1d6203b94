# The system's, as top and jstack's nid know them; not the JVM's own.
jfr2flame -q --cpu -t --depth 1 --collapsed data/jfr/jdk17-profile.jfr.gz
jfr2flame -q --cpu -t --depth 1 --collapsed data/jfr/jdk25-cputime.jfr
