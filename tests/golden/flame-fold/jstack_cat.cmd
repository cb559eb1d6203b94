cat data/jstack/jdk8.txt data/jstack/spark-jdk17-loop.txt data/jstack/threadinfo-jdk17.txt | flame-fold -q >cat
flame-fold -q data/jstack/jdk8.txt data/jstack/spark-jdk17-loop.txt data/jstack/threadinfo-jdk17.txt >merged
cmp cat merged && wc -l <cat
