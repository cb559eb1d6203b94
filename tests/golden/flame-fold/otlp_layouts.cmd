for file in since-1.10 before-1.10 framed
do
	flame-fold $DATA/otlp/$file.otlp
done
flame-fold --by thread $DATA/otlp/since-1.10.otlp
flame-fold --by service.name $DATA/otlp/since-1.10.otlp
flame-fold --lines --from +2ms $DATA/otlp/since-1.10.otlp
