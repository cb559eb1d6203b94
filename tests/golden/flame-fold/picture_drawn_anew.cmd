# The same picture, whatever it was drawn from.
printf '%s\n' 'a;b_[j] 9' 'a;b_[j];c 9' 'a;d_[k] 1' > x.folded
flame-graph x.folded > 1.svg
flame-graph --colors cb --inverted 1.svg > 2.svg
flame-graph 2.svg | cmp - 1.svg
