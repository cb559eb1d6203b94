head -c 20000 data/jstack/spark-jdk17-loop.txt | gzip -n | head -c 1500 | flame-fold --depth 1
