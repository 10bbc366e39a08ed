"""Every public callable of NumPy, `math` and the covered parts of SciPy is classified."""

import importlib
from pathlib import Path

import numpy as np
import pytest

import adc.rules  # noqa: F401  (registers every rule)
from adc.inspect import coverage
from adc.inspect.unsupported import CLASSES
from adc.rules import registry


@pytest.mark.parametrize("module", coverage.MODULES)
def test_every_public_name_is_classified(module):
    if module.startswith("scipy"):
        pytest.importorskip("scipy")
    assert coverage.rows(module)


def test_nothing_with_a_rule_is_called_unsupported():
    for module, classes in CLASSES.items():
        library = pytest.importorskip(module)
        for names in classes.values():
            for name in names.split():
                if name in getattr(library, "__dict__", {}):
                    assert registry.find(getattr(library, name)) is None, f"{module}.{name}"


def test_the_document_is_current():
    scipy = pytest.importorskip("scipy")
    text = Path(__file__).parents[2].joinpath("docs", "coverage.md").read_text(encoding="utf-8")
    if f"NumPy {np.__version__}, SciPy {scipy.__version__}" not in text:
        pytest.skip("the document was made with other versions")
    made = coverage.document()
    if f"with {len(coverage.public_names(importlib.import_module('math')))} functions" in text:
        assert text == made, "python -m adc.inspect.coverage writes docs/coverage.md again"


# What HIPS autograd 1.8 differentiates in reverse mode, but for odeint and its own convolve of several axes.
AUTOGRAD = {
    "numpy": """
        abs absolute add angle append arccos arccosh arcsin arcsinh arctan arctan2 arctanh
        array_split asfortranarray atleast_1d atleast_2d atleast_3d average broadcast_to cbrt clip
        column_stack concatenate conj conjugate copysign cos cosh cross cumsum deg2rad degrees diag
        diagonal diff divide dot dsplit dstack einsum exp exp2 expand_dims expm1 fabs flipud fliplr
        float_power fmax fmin full gradient hsplit hstack hypot imag inner kron log log10 log1p log2
        logaddexp logaddexp2 matmul max maximum mean min minimum mod moveaxis multiply nan_to_num
        negative ones_like outer pad partition power prod rad2deg radians ravel real real_if_close
        reciprocal remainder repeat reshape roll rollaxis rot90 select sin sinc sinh sort split sqrt
        square squeeze stack std subtract sum swapaxes take tan tanh tensordot tile trace transpose
        tril triu true_divide var vsplit vstack where""",
    "numpy.linalg": "cholesky det eig eigh inv norm pinv slogdet solve svd",
    "numpy.fft": "fft fft2 fftn fftshift ifft ifft2 ifftn ifftshift irfft irfft2 irfftn rfft rfft2 rfftn",
    "scipy.special": """
        beta betainc betaln digamma erf erfc erfcinv erfinv expit gamma gammainc gammaincc gammaln
        gammasgn i0 i1 iv ive j0 j1 jn logit logsumexp multigammaln polygamma psi rgamma y0 y1 yn""",
    "scipy.linalg": "solve_banded solve_sylvester solve_triangular sqrtm expm",
    "scipy.stats": """
        norm.cdf norm.logcdf norm.logpdf norm.logsf norm.pdf norm.sf beta.cdf beta.logpdf beta.pdf
        chi2.cdf chi2.logpdf chi2.pdf gamma.cdf gamma.logpdf gamma.pdf poisson.cdf poisson.logpmf
        poisson.pmf t.cdf t.logcdf t.logpdf t.pdf dirichlet.logpdf dirichlet.pdf
        multivariate_normal.entropy multivariate_normal.logpdf multivariate_normal.pdf""",
}


@pytest.mark.parametrize("module", AUTOGRAD)
def test_what_autograd_differentiates_is_covered(module):
    library = pytest.importorskip(module)
    for name in AUTOGRAD[module].split():
        value = library
        for part in name.split("."):
            value = getattr(value, part)
        operation = registry.find(value)
        assert operation is not None, name
        assert operation.kind != "constant" or name in ("gammasgn", "ones_like"), name


# What the rulebook set out to cover, beside autograd's names.
RULEBOOK = {
    "numpy": """
        power float_power divide floor_divide remainder fmod divmod hypot arctan2 logaddexp logaddexp2 exp2 log2
        log10 expm1 log1p cbrt square reciprocal sinc i0 deg2rad rad2deg copysign nextafter ldexp heaviside fmax
        fmin nan_to_num real imag conj angle abs fabs sign rint floor ceil trunc sum mean prod max min amax amin
        ptp std var median quantile percentile average cumsum cumprod nansum nanmean nanmax nanmin nanstd trace
        count_nonzero argmax argmin any all reshape ravel transpose swapaxes moveaxis rollaxis expand_dims squeeze
        atleast_1d atleast_2d atleast_3d broadcast_to broadcast_arrays concatenate stack hstack vstack dstack
        column_stack block split array_split hsplit vsplit tile repeat roll rot90 flip fliplr flipud pad append
        insert delete resize diag diagonal diagflat tril triu meshgrid take take_along_axis put_along_axis choose
        compress select where piecewise sort partition argsort unique searchsorted ediff1d diff gradient trapezoid
        interp convolve correlate cross kron outer inner vdot dot matmul tensordot einsum einsum_path
        linalg.multi_dot linalg.solve linalg.inv linalg.pinv linalg.det linalg.slogdet linalg.cholesky linalg.qr
        linalg.svd linalg.eigh linalg.eigvalsh linalg.eig linalg.eigvals linalg.lstsq linalg.matrix_power
        linalg.matrix_rank linalg.cond linalg.norm linalg.tensorsolve linalg.tensorinv fft.fft fft.ifft fft.rfft
        fft.irfft fft.fft2 fft.ifft2 fft.rfft2 fft.irfft2 fft.fftn fft.ifftn fft.rfftn fft.irfftn fft.fftshift
        fft.ifftshift add.reduce multiply.reduce maximum.reduce minimum.reduce logaddexp.reduce add.accumulate
        multiply.accumulate maximum.accumulate minimum.accumulate multiply.outer subtract.outer""",
    "scipy.linalg": """
        solve solve_triangular cho_solve cho_factor lu_factor lu_solve expm logm sqrtm solve_sylvester
        solve_continuous_lyapunov toeplitz""",
    "scipy.special": """
        gamma gammaln loggamma digamma polygamma beta betaln erf erfc erfcx erfinv expit logit log_expit logsumexp
        softmax log_softmax xlogy xlog1py entr rel_entr kl_div j0 j1 jn y0 y1 yn i0 i1 i0e i1e iv ive kv k0 k1 ndtr
        log_ndtr ndtri gammainc gammaincc betainc zeta expi exp1 hyp2f1""",
    "scipy.stats": """
        norm.logpdf norm.cdf t.logpdf t.cdf gamma.logpdf gamma.cdf beta.logpdf beta.cdf poisson.logpmf poisson.cdf
        bernoulli.logpmf bernoulli.cdf multivariate_normal.logpdf dirichlet.logpdf chi2.logpdf chi2.cdf expon.logpdf
        expon.cdf uniform.logpdf uniform.cdf laplace.logpdf laplace.cdf cauchy.logpdf cauchy.cdf lognorm.logpdf
        lognorm.cdf""",
}
ZERO_BY_NATURE = set(
    """
    floor_divide sign rint floor ceil trunc count_nonzero argmax argmin any all argsort searchsorted
    einsum_path linalg.matrix_rank""".split()
)


@pytest.mark.parametrize("module", RULEBOOK)
def test_the_rulebook_is_complete(module):
    library = pytest.importorskip(module)
    for name in RULEBOOK[module].split():
        value = library
        for part in name.split("."):
            value = getattr(value, part)
        operation = registry.find(value)
        assert operation is not None, name
        assert (operation.kind == "constant") == (name in ZERO_BY_NATURE), (name, operation.kind)


def test_the_methods_of_arrays_are_operations():
    names = """
        all any argmax argmin argsort astype choose clip compress conj copy cumprod cumsum diagonal dot flatten
        mean max min nonzero prod ravel repeat reshape round searchsorted squeeze std sum swapaxes take trace
        transpose var"""
    from adc.compiler.frontend.array_functions import METHODS

    for name in names.split():
        assert registry.find_method(name) is not None or name in METHODS, name
