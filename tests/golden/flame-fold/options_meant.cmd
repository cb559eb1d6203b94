# What other programs call an option is never answered by the opposite.
echo 'a;b 1' >in
for option in --since=1s --until=2s --grep=a --filter=a --output-format=svg -e -t -k --count; do
	flame-fold $option in
	flame-top $option in
done
