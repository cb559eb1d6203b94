# One thread in each dump, two processes in the journals; then folded text.
for f in journal-python.log cri-partial.log journal.json docker.json \
	docker-folded.json; do
	flame-fold data/logs/$f
done
# A container's name is not a stack: the text is that of the lines.
flame-fold --partial fail data/logs/words.json 2>&1 | cut -c 1-72
# A function of C++ or Rust is not a level and a logger's name.
printf 'debug::main;std::io::read 5\ndebug:main:run;read 5\n' | flame-fold
# A line in parts, and one of the other stream between them.
printf '2026-02-14T10:00:00.%dZ %s\n' 1 'stdout P main;a;b' 2 'stderr F oops' \
	3 'stdout F ;c 1' 4 'stdout F main;d 2' | flame-fold -q
long=$(printf '%16384s' | tr ' ' x)
printf '{"log":"%s","stream":"%s"}\n' "main;$long" stdout 'oops\n' stderr \
	';c 1\n' stdout 'main;d 2\n' stdout | flame-fold -q | tr -d x
