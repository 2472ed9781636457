"""Training an encoder for keyphrases (KPEBERT, section 4 of the paper), with the paper's triplets or in one pass.

recipe, settings   all settings of a run
corpus             the texts
pseudo_labels      labels by another method
pair_sampling      which phrases are compared
data               the batches of each step
losses             the training losses
encoder            loading and saving the encoder
trainer            the optimisation loop; `train` is the entry point
distributed        device and processes
validation         the measurements during training
model_selection    which encoder is published
run_folder         checkpoints and files of a run
train_log          log and curves
model_card         the model card
"""
