flame-fold --norm --threads --lines data/jstack/threadinfo-jdk17.txt data/jstack/jdk8.txt
