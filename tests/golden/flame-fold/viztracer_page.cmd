# The page has what its events are.
flame-fold $DATA/trace-event/viztracer.html | tee page
sed -n 's/^  json_data = //p' $DATA/trace-event/viztracer.html | sed 's/;$//' |
	flame-fold | cmp - page
