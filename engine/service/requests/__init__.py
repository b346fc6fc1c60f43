"""What a request is: who may ask, how much, what it says, and what is sent back."""
