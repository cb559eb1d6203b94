flame-fold -q --classify --by thread data/jstack/jdk25-print-e-l.txt
