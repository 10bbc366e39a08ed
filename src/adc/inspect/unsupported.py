"""Public names without a rule, each with the class that the coverage table puts it in and the reason.

A name of NumPy or SciPy that is neither in the rule table nor here makes a test fail.
"""

_OF_SERIES = (
    "{0}2poly poly2{0} {0}add {0}companion {0}der {0}div {0}fit {0}fromroots {0}grid2d {0}grid3d {0}int "
    "{0}interpolate {0}line {0}mul {0}mulx {0}pow {0}roots {0}sub {0}trim {0}val2d {0}val3d {0}valfromroots {0}valnd "
    "{0}vander {0}vander2d {0}vander3d {0}weight"
)


def _of_series(p: str, name: str, ruled: str = "") -> dict[tuple[str, str], str]:
    """The names of a module of numpy.polynomial, which all begin alike; those that are `ruled` have rules."""
    ruled += " add der mul sub grid2d grid3d val2d val3d vander"
    with_rules = {f"{p}2poly", f"poly2{p}", *(p + n for n in ruled.split())}
    without = [n for n in _OF_SERIES.format(p).split() if n not in with_rules]
    return {
        ("no derivative", "tables of numbers"): f"{p}gauss {p}pts1 {p}pts2",
        ("language", "objects whose methods are those of a plain object of the rules"): name,
        ("unsupported", f"no rule: write it with {p}val and np.linalg"): " ".join(without),
    }


# module -> (class, reason) -> names
CLASSES: dict[str, dict[tuple[str, str], str]] = {
    "numpy": {
        ("language", "arrays from sequences; the engines build them"): (
            "array asarray ascontiguousarray fromiter"
        ),
        ("language", "calls of the program's own function, looked into by the compiler"): "vectorize",
        ("language", "what loops go over"): "ndenumerate ndindex nditer",
        ("no derivative", "types and questions about types"): (
            "bool bool_ byte bytes_ cdouble character clongdouble complex128 complex256 complex192 complex64 "
            "complexfloating csingle datetime64 double dtype flexible float128 float96 float16 float32 "
            "float64 floating generic half inexact int16 int32 int64 int8 int_ intc integer intp long "
            "longdouble longlong number object_ short signedinteger single str_ timedelta64 ubyte uint "
            "uint16 "
            "uint32 uint64 uint8 uintc uintp ulong ulonglong unsignedinteger ushort void can_cast "
            "common_type "
            "finfo iinfo isdtype issubdtype min_scalar_type mintypecode promote_types result_type typename "
            "isscalar isfortran isnat iterable ndarray ufunc matrix recarray record chararray ScalarType "
            "sctypeDict"
        ),
        ("no derivative", "questions about memory"): ("may_share_memory shares_memory broadcast_shapes"),
        ("no derivative", "files, text and buffers"): (
            "array2string array_repr array_str base_repr binary_repr format_float_positional "
            "format_float_scientific from_dlpack frombuffer fromfile fromregex fromstring genfromtxt load "
            "loadtxt memmap save savetxt savez savez_compressed"
        ),
        ("no derivative", "settings and information"): (
            "errstate get_include get_printoptions getbufsize geterr geterrcall printoptions "
            "set_printoptions "
            "setbufsize seterr seterrcall show_config show_runtime test info"
        ),
        ("no derivative", "dates"): (
            "busday_count busday_offset busdaycalendar datetime_as_string datetime_data is_busday"
        ),
        ("no derivative", "bits of integers"): ("bitwise_count packbits unpackbits"),
        ("unsupported", "takes a Python function or is an iterator: write the loop"): (
            "fromfunction frompyfunc flatiter nested_iters mask_indices"
        ),
        ("unsupported", "np.matrix: use arrays"): "asmatrix bmat",
        ("language", "objects whose methods are those of a plain object of the rules"): "broadcast poly1d",
        (
            "unsupported",
            "of one axis there is np.histogram; np.bincount(weights=...) of positions",
        ): "histogramdd",
        ("unsupported", "sets of values: use np.sort, np.unique and masks"): ("unique_values in1d"),
        ("unsupported", "checks and copies: use np.asarray, np.vstack"): ("require"),
    },
    "numpy.linalg": {("no derivative", "errors"): ("LinAlgError")},
    "scipy.fft": {
        ("no derivative", "lengths, settings and workers"): (
            "next_fast_len prev_fast_len set_backend skip_backend set_global_backend register_backend get_workers "
            "set_workers"
        ),
        ("unsupported", "fast Hankel transforms"): "fht ifht fhtoffset",
    },
    "scipy.special": {
        ("no derivative", "errors and settings"): (
            "SpecialFunctionError SpecialFunctionWarning errstate geterr seterr"
        ),
        ("no derivative", "tables of numbers by integer order"): (
            "ai_zeros bei_zeros beip_zeros ber_zeros berp_zeros bi_zeros c_roots cg_roots erf_zeros "
            "fresnel_zeros fresnelc_zeros fresnels_zeros h_roots he_roots j_roots jn_zeros jnjnp_zeros "
            "jnp_zeros jnyn_zeros js_roots kei_zeros keip_zeros kelvin_zeros ker_zeros kerp_zeros l_roots "
            "la_roots p_roots ps_roots roots_chebyc roots_chebys roots_chebyt roots_chebyu roots_gegenbauer "
            "roots_genlaguerre roots_hermite roots_hermitenorm roots_jacobi roots_laguerre roots_legendre "
            "roots_sh_chebyt roots_sh_chebyu roots_sh_jacobi roots_sh_legendre s_roots stirling2 t_roots "
            "ts_roots u_roots us_roots y0_zeros y1_zeros y1p_zeros yn_zeros ynp_zeros mathieu_even_coef "
            "mathieu_odd_coef obl_cv_seq pro_cv_seq factorialk"
        ),
        ("unsupported", "makes a polynomial object: use eval_legendre and its like"): (
            "chebyc chebys chebyt chebyu gegenbauer genlaguerre hermite hermitenorm jacobi laguerre legendre "
            "sh_chebyt sh_chebyu sh_jacobi sh_legendre"
        ),
        ("unsupported", "no rule: SciPy has no function for the derivative, or nobody has asked"): (
            "assoc_laguerre assoc_legendre_p assoc_legendre_p_all bdtri bdtrik bdtrin "
            "besselpoly btdtria btdtrib chdtriv chndtr chndtridf chndtrinc chndtrix ellip_harm "
            "ellip_harm_2 ellip_normal "
            "eval_sh_jacobi fdtridfd gdtria gdtrib "
            "gdtrix h1vp h2vp itairy "
            "kelvin legendre_p_all lmbda "
            "log_wright_bessel lqmn lqn mathieu_a mathieu_b mathieu_cem mathieu_modcem1 mathieu_modcem2 "
            "mathieu_modsem1 mathieu_modsem2 mathieu_sem modfresnelm modfresnelp nbdtr nbdtrc nbdtri nbdtrik "
            "nbdtrin ncfdtr ncfdtri ncfdtridfd ncfdtridfn ncfdtrinc nctdtr nctdtridf nctdtrinc nctdtrit "
            "nrdtrimn nrdtrisd obl_ang1 obl_ang1_cv obl_cv obl_rad1 obl_rad1_cv obl_rad2 obl_rad2_cv "
            "pbdn_seq "
            "pbdv pbdv_seq pbvv pbvv_seq pbwa pdtri pdtrik pro_ang1 pro_ang1_cv pro_cv pro_rad1 pro_rad1_cv "
            "pro_rad2 pro_rad2_cv radian riccati_jn riccati_yn smirnov smirnovi sph_harm_y_all "
            "clpmn lpmn lpn sph_harm "
            "sph_legendre_p sph_legendre_p_all stdtridf tklmbda wright_bessel "
        ),
    },
    "scipy.linalg": {
        ("no derivative", "errors, questions, access to LAPACK, sketches"): (
            "LinAlgError LinAlgWarning bandwidth find_best_blas_type get_blas_funcs get_lapack_funcs "
            "ishermitian issymmetric clarkson_woodruff_transform"
        ),
        ("no derivative", "tables of numbers"): ("dft hadamard helmert hilbert invhilbert invpascal pascal"),
        ("unsupported", "a basis that is determined up to a rotation or an order only"): (
            "cossin null_space orth ordqz qz rsf2csf schur cdf2rdf hessenberg subspace_angles matrix_balance "
            "ldl"
        ),
        ("unsupported", "no rule: write it with solve, eigh, svd or expm"): (
            "eig_banded expm_cond fiedler_companion funm "
            "kron qr_delete qr_insert qr_multiply qr_update signm "
        ),
    },
    "scipy.signal": {
        ("no derivative", "classes, warnings and questions"): (
            "BadCoefficients CZT ShortTimeFFT ZoomFFT dlti check_COLA "
            "check_NOLA choose_conv_method test correlation_lags"
        ),
        ("language", "plain functions and objects of the rules, of linear systems"): (
            "StateSpace TransferFunction ZerosPolesGain bode freqresp impulse lsim lti step"
        ),
        ("no derivative", "positions and counts"): (
            "argrelextrema argrelmax argrelmin find_peaks find_peaks_cwt peak_widths peak_prominences unique_roots "
            "max_len_seq unit_impulse vectorstrength"
        ),
        ("unsupported", "designs a filter or a system, once, before anything is differentiated"): (
            "abcd_normalize band_stop_obj bessel besselap bilinear bilinear_zpk buttap butter buttord cheb1ap cheb1ord "
            "cheb2ap cheb2ord cheby1 cheby2 cont2discrete ellip ellipap ellipord findfreqs firls firwin firwin2 "
            "firwin_2d gammatone get_window iircomb iirdesign iirfilter iirnotch iirpeak invres invresz kaiser_atten "
            "kaiser_beta kaiserord lfiltic lp2bp lp2bp_zpk lp2bs lp2bs_zpk lp2hp lp2hp_zpk lp2lp lp2lp_zpk "
            "minimum_phase normalize place_poles remez residue residuez savgol_coeffs sos2tf sos2zpk sosfilt_zi ss2tf "
            "ss2zpk tf2sos tf2ss tf2zpk zpk2sos zpk2ss czt_points closest_STFT_dual_window"
        ),
        ("unsupported", "no rule: write it with convolve, lfilter and numpy.fft"): (
            "whittaker_henderson "
            "cspline1d cspline1d_eval cspline2d czt dbode deconvolve "
            "dfreqresp dimpulse dlsim dstep envelope freqs_zpk freqz_zpk "
            "gauss_spline group_delay "
            "hilbert2 lombscargle "
            "qspline1d qspline1d_eval qspline2d sepfir2d "
            "spline_filter sweep_poly symiirorder1 "
            "symiirorder2 wiener zoom_fft"
        ),
    },
    "numpy.polynomial.polynomial": _of_series("poly", "Polynomial", "fromroots int"),
    "numpy.polynomial.chebyshev": _of_series("cheb", "Chebyshev"),
    "numpy.polynomial.legendre": _of_series("leg", "Legendre"),
    "numpy.polynomial.hermite": _of_series("herm", "Hermite"),
    "numpy.polynomial.hermite_e": _of_series("herme", "HermiteE"),
    "numpy.polynomial.laguerre": _of_series("lag", "Laguerre"),
    "scipy.ndimage": {
        ("no derivative", "of truth values and labels"): (
            "binary_closing binary_dilation binary_erosion binary_fill_holes binary_hit_or_miss binary_opening "
            "binary_propagation distance_transform_bf distance_transform_cdt distance_transform_edt extrema "
            "find_objects generate_binary_structure histogram iterate_structure label maximum_position "
            "minimum_position value_indices watershed_ift"
        ),
        ("unsupported", "takes a Python function: write it with slices, or with correlate"): (
            "generic_filter generic_filter1d generic_gradient_magnitude generic_laplace geometric_transform "
            "labeled_comprehension vectorized_filter"
        ),
        ("unsupported", "the coefficients of a spline: take map_coordinates, zoom or shift of the image"): (
            "spline_filter spline_filter1d"
        ),
        ("unsupported", "no rule: write it with NumPy or numpy.fft"): (
            "center_of_mass fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform "
            "maximum median minimum"
        ),
    },
    "scipy.stats": {
        ("through its methods", "see the methods listed above"): (
            "alpha anglit arcsine bernoulli beta betabinom betaprime binom bradford burr burr12 cauchy "
            "chi chi2 cosine dgamma dirichlet dweibull erlang expon exponnorm exponpow exponweib f "
            "fatiguelife fisk foldcauchy foldnorm gamma genextreme gengamma genlogistic gennorm genpareto "
            "geom gibrat gompertz gumbel_l gumbel_r halfcauchy halfgennorm halflogistic halfnorm "
            "hypsecant invgamma invgauss invweibull johnsonsb johnsonsu laplace laplace_asymmetric levy "
            "loggamma logistic lognorm loguniform lomax maxwell moyal multinomial multivariate_normal "
            "multivariate_t nakagami nbinom norm norminvgauss pareto pearson3 poisson powerlaw "
            "powerlognorm powernorm rayleigh rdist rice semicircular skewcauchy skewnorm t triang "
            "truncexpon truncnorm uniform vonmises wald weibull_max weibull_min wrapcauchy"
        ),
        ("language", "a plain object of the rules, made inside or outside"): ("gaussian_kde"),
        ("through its methods", "on the tape, by the formulas of SciPy"): (
            "argus betanbinom boltzmann crystalball dlaplace genexpon genhalflogistic hypergeom "
            "jf_skew_t kappa3 kappa4 levy_l loglaplace logser mielke nhypergeom planck randint "
            "recipinvgauss reciprocal rel_breitwigner trapezoid truncpareto truncweibull_min"
        ),
        ("unsupported", "no formula of its densities in the table: write it with scipy.special"): (
            "dpareto_lognorm gausshyper genhyperbolic geninvgauss invwishart irwinhall ksone kstwo "
            "kstwobign landau levy_stable matrix_normal matrix_t multivariate_hypergeom ncf "
            "nchypergeom_fisher nchypergeom_wallenius nct ncx2 normal_inverse_gamma ortho_group "
            "poisson_binom random_correlation random_table skellam special_ortho_group "
            "studentized_range tukeylambda uniform_direction unitary_group vonmises_fisher "
            "vonmises_line wishart yulesimon zipf zipfian"
        ),
        ("unsupported", "classes"): (
            "Binomial BootstrapMethod CensoredData ConstantInputWarning Covariance DegenerateDataWarning "
            "FitError Logistic Mixture MonteCarloMethod NearConstantInputWarning Normal PermutationMethod "
            "Uniform rv_continuous rv_discrete rv_histogram"
        ),
        ("unsupported", "tests, estimates and descriptions of samples: write the statistic with NumPy"): (
            "estimated_cdf find_repeats trapz "
            "abs alexandergovern anderson anderson_ksamp ansari barnard_exact bayes_mvs "
            "binned_statistic binned_statistic_2d binned_statistic_dd binomtest bootstrap boschloo_exact "
            "boxcox boxcox_normmax boxcox_normplot brunnermunzel bws_test chatterjeexi "
            "chi2_contingency combine_pvalues cramervonmises "
            "cramervonmises_2samp cumfreq describe differential_entropy directional_stats "
            "dirichlet_multinomial dunnett ecdf epps_singleton_2samp exp expectile "
            "false_discovery_control fisher_exact fit fligner friedmanchisquare "
            "goodness_of_fit gzscore kendalltau kruskal ks_1samp ks_2samp "
            "kstest lmoment log logrank make_distribution "
            "mannwhitneyu median_test mode monte_carlo_test mood "
            "multiscale_graphcorr mvsdist obrientransform order_statistic page_trend_test "
            "percentileofscore permutation_test pointbiserialr poisson_means_test power "
            "ppcc_max ppcc_plot probplot quantile quantile_test ranksums relfreq "
            "scoreatpercentile shapiro siegelslopes sigmaclip sobol_indices somersd "
            "spearmanrho theilslopes tiecorrect trim1 trimboth truncate "
            "tukey_hsd "
            "wasserstein_distance_nd weightedtau wilcoxon "
            "yeojohnson_normmax yeojohnson_normplot "
        ),
    },
    "scipy.integrate": {
        (
            "language",
            "takes a function: the tape differentiates the trajectory, with the steps that SciPy chose",
        ): ("odeint solve_ivp"),
        (
            "language",
            "takes a function: the tape differentiates a sum over points on the parts that SciPy chose",
        ): ("dblquad nquad quad quad_vec tplquad"),
        ("no derivative", "classes and warnings"): (
            "BDF DOP853 DenseOutput IntegrationWarning LSODA ODEintWarning OdeSolution OdeSolver RK23 RK45 "
            "Radau complex_ode ode"
        ),
        ("no derivative", "tables of numbers"): ("lebedev_rule newton_cotes"),
        ("language", "calls of the program's own function, looked into by the compiler"): "fixed_quad",
        ("unsupported", "takes a Python function: write the steps of the method as a loop"): (
            "cubature nsum qmc_quad solve_bvp tanhsinh"
        ),
    },
    "scipy.optimize": {
        (
            "language",
            "solves equations: the tape differentiates the solution, by the implicit function theorem",
        ): (
            "brentq brenth bisect ridder toms748 newton root_scalar root fsolve fixed_point minimize "
            "minimize_scalar fmin fmin_powell fmin_bfgs fmin_cg fmin_ncg least_squares leastsq curve_fit "
            "newton_krylov broyden1 broyden2 anderson linprog nnls lsq_linear"
        ),
        ("no derivative", "classes, warnings and information"): (
            "BFGS Bounds BroydenFirst HessianUpdateStrategy InverseJacobian KrylovJacobian "
            "LbfgsInvHessProduct LinearConstraint NoConvergence NonlinearConstraint OptimizeResult "
            "OptimizeWarning RootResults SR1 linprog_verbose_callback show_options"
        ),
        (
            "unsupported",
            "a minimiser or root finder calls a Python function: write the iterations as a loop",
        ): (
            "approx_fprime basinhopping bracket brent brute check_grad diagbroyden differential_evolution "
            "direct dual_annealing excitingmixing fmin_cobyla fmin_l_bfgs_b fmin_slsqp fmin_tnc fminbound "
            "golden line_search linearmixing shgo"
        ),
        ("unsupported", "solves a problem given by arrays; its solution is piecewise smooth"): (
            "linear_sum_assignment quadratic_assignment milp isotonic_regression"
        ),
    },
    "scipy.interpolate": {
        (
            "language",
            "objects whose methods are those of a plain object of the rules, made inside or outside",
        ): (
            "Akima1DInterpolator BSpline BarycentricInterpolator CubicHermiteSpline CubicSpline "
            "InterpolatedUnivariateSpline KroghInterpolator LinearNDInterpolator NearestNDInterpolator PPoly "
            "PchipInterpolator RBFInterpolator "
            "RectBivariateSpline RegularGridInterpolator UnivariateSpline interp1d"
        ),
        (
            "language",
            "plain functions of the rules, of the spline, the grid or the triangles through all points",
        ): ("barycentric_interpolate griddata interpn krogh_interpolate make_interp_spline splev splrep"),
        ("unsupported", "no rule: use CubicSpline, make_interp_spline, or np.linalg"): (
            "AAA BPoly BivariateSpline CloughTocher2DInterpolator FloaterHormannInterpolator "
            "LSQBivariateSpline LSQSphereBivariateSpline LSQUnivariateSpline "
            "NdBSpline NdPPoly Rbf RectSphereBivariateSpline "
            "SmoothBivariateSpline SmoothSphereBivariateSpline approximate_taylor_polynomial "
            "bisplev bisplrep generate_knots insert interp2d lagrange make_lsq_spline "
            "make_smoothing_spline make_splprep make_splrep pade pchip_interpolate spalde splantider splder splint "
            "splprep sproot"
        ),
    },
    "statistics": {
        ("no derivative", "errors"): "StatisticsError",
        ("unsupported", "no rule: write it with NumPy"): (
            "NormalDist kde kde_random median_grouped median_high median_low mode multimode quantiles"
        ),
    },
    "scipy.spatial.distance": {
        ("no derivative", "of truth values"): (
            "dice hamming jaccard kulczynski1 matching rogerstanimoto russellrao sokalmichener "
            "sokalsneath yule"
        ),
        ("no derivative", "questions about matrices of distances"): (
            "is_valid_dm is_valid_y num_obs_dm num_obs_y"
        ),
    },
}
