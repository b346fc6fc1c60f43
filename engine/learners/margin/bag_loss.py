"""The loss of bags as a function of the numbers of wrong and missing labels, and the score of nil.

Loss, in units of one label, with P gold labels and a weight `mix`:

    (1 - mix) P (1 - F_beta)  +  mix (beta FP + (1 - beta) FN)

The second part is the tangent of the first at the perfect labelling; with beta = 1/2 it is half of the Hamming loss
that the paper mixes in (footnote 7). The F loss alone cannot carry beta: it is convex in FN, so the worst labelling has
no right label left, and there a false positive costs nothing whatever beta is. The tangent keeps the two prices apart.

Margins alone do not carry the prices over to predictions. In a positive bag the right label has to beat nil by 1 - beta
and the others by 1, but nothing determines where nil lies between right and wrong: positive bags contain no examples of
it, and a learnt nil falls below everything, so that no bag is ever declined. So nil has no weights and scores beta, the
price of a false positive: a single mention takes a label iff the label scores more than that price, where right labels
are trained towards 1 and wrong ones towards 0. On unseen bags the best of many wrong labels scores well above 0, hence
`caution`: when predicting on positive bags, nil scores a little higher than in training. `nil=learnt` gives nil weights
of its own, as in the paper (nil_axes.py). docs/theory/distant.md has the argument in full.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.learners.fbeta import f_beta


@dataclass(frozen=True)
class Loss:
    """The loss of a labelling as a function of its counts; FN excludes labels that no output could have."""

    positives: int
    beta: float = 0.5
    mix: float = 1.0

    def __call__(self, fp: float, fn: float) -> float:
        linear = self.beta * fp + (1.0 - self.beta) * fn
        return self.f_part(fp, fn) + self.mix * linear

    def f_part(self, fp: float, fn: float) -> float:
        if self.mix == 1.0:
            return 0.0
        return (1.0 - self.mix) * self.positives * (1.0 - f_beta(fp, fn, self.positives, self.beta))

    @property
    def fp_price(self) -> float:
        return self.mix * self.beta

    @property
    def fn_price(self) -> float:
        return self.mix * (1.0 - self.beta)
