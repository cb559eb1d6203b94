# One thread in each dump, two processes in the journals; then folded text.
for f in journal-python.log cri-partial.log journal.json docker.json \
	docker-folded.json; do
	flame-fold data/logs/$f
done
# A container's name is not a stack: the text is that of the lines.
flame-fold --partial fail data/logs/words.json 2>&1 | cut -c 1-72
# A function of C++ or Rust is not a level and a logger's name.
printf 'debug::main;std::io::read 5\ndebug:main:run;read 5\n' | flame-fold
