# A line for each frame, but for those below a share.
printf 'a;b 60\na;c;d_[k] 38\na 1\nx 1\n' >in
flame-graph -f text --tree in
flame-graph -f text --tree --minwidth 50% in
