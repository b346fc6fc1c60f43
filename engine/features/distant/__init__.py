"""What a bag's sentences show of its relations: named features of members and of the pair, and how bags are built.

In the style of Mintz et al. (2009) and Riedel et al. (2010): words between, windows beside, order and types of the
entities, part-of-speech sequence and dependency path where the corpus has them, and the entity strings themselves.
Corpora that bring their own features (`Member.features`) use those instead.
"""
