flame-top --colors java
