flame-fold --state runnable --root TaskRunner.run --simple data/jstack/spark-jdk17-loop.txt
flame-fold --root TaskRunner.run --depth 2 --dot data/jstack/spark-jdk17-loop.txt
