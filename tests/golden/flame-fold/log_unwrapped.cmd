# One thread in each dump, two processes in the journals; then folded text.
for f in journal-python.log cri-partial.log journal.json docker.json \
	docker-folded.json; do
	flame-fold data/logs/$f
done
# A container's name is not a stack: the text is that of the lines.
flame-fold --partial fail data/logs/words.json 2>&1 | cut -c 1-72
