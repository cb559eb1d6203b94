printf 'a;b;c 1\nd;c 2\n' | jfr2flame -r -o collapsed
jfr2flame -q --reverse -t --thread Compiler --depth 2 -o collapsed data/jfr/spark-trace.jfr
