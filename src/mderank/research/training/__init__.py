"""Training an encoder for keyphrases (KPEBERT, section 4 of the paper), with the paper's triplets or in one pass.

``recipe`` says what to do, ``corpus`` has the texts, ``labels`` what another method takes for their keyphrases,
``sampling`` which phrases are compared, ``objective`` what is wrong with the encoder, ``loop`` does something about it,
``checkpoint`` lets it go on where it stopped, ``card`` says what came out.
"""
