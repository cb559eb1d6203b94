flame-fold --event list data/jstack/spark-jdk17-loop.txt
flame-fold --info data/jstack/jdk25-dump-to-file.txt
