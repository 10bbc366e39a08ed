"""Pieces of random programs: stencils, products of matrices by loops, places that are data or that move, parts of arrays.

How they are written is told in `patterns`.
"""

# ruff: noqa: E501  (a choice stands on the line that it is part of)

PIECES = {
    # --- stencils
    "stencil": """
$Wa[{1:-1|1:-1}] {=|+=|-=} {0.3 * ($Va[2:] - 2.0 * $Va[1:-1] + $Va[:-2])|$V[1:-1] * ($Va[2:] - $Va[:-2])|0.5 * ($Wa[2:] + $Wa[:-2])|np.where($Va[1:-1] > 0, $Va[1:-1] - $Va[:-2], $Va[2:] - $Va[1:-1])}
""",
    "stencil_steps": """
za = $V.copy()
for k in range({1|2|3|rows}):
    {zb = za.copy()|zb = np.zeros(n)|zb = za|zb = np.empty(n); zb[0] = za[0]; zb[-1] = $n}
    zb[{1:-1|1:-1|1:-1}] = {za[1:-1] + 0.2 * (za[2:] - 2.0 * za[1:-1] + za[:-2])|0.5 * (za[2:] + za[:-2])|za[1:-1] - 0.1 * za[1:-1] * (za[2:] - za[:-2])|za[1:-1] * np.sin(za[2:])}
    {||zb[0] = zb[1]|zb[-1] = zb[-2] * $n|zb[0] = za[1]; zb[-1] = za[-2]|zb[0], zb[-1] = zb[-1], zb[0]}
    {za = zb|za = zb|za[:] = zb|za, zb = zb, za}
    {||$N += za[{0|1|-1|n // 2}]|$N += np.sum(za * zb)}
{$W = za|$N += za @ $V|$N += np.sum(za ** 2)}
""",
    "far_stencil": """
for i in range({0|k0|2}, n{| - 2| - 3}):
    $Wa[i] $o {$Va[i - 2]|$Va[(i + 3) % n]|$Va[(i - 1) % n] - $Va[(i + 1) % n]|$Va[i - 1] * $V[i]|$Va[max(i - 1, 0)] + $Va[min(i + 1, n - 1)]|$Va[i - 1] if i > 0 else $n|$Va[i + 1] if i < n - 1 else $Va[0]|$Va[abs(i - 2) % n]|$Va[n - 1 - i]|$Wa[n - 1 - i] * 0.5}
""",
    "roll": """
$W = {$V - np.roll($V, {1|-1|2|n})|np.roll($V * $V, 1) + np.roll($V, -2)|np.roll($V, 1) * $V - np.roll($V, -1)}
""",
    "window": """
for i in range(n):
    sm = 0.0
    for j in range({max(0, i - 2)|i|0}, {min(n, i + 3)|i + 1|n}):
        sm += {$V[j]|$V[j] * $V[i]|$V[j] * np.exp(-($V[i] - $V[j]) ** 2)|$V[j] * $V[i - j]|$V[abs(i - j)]}
    $W[i] $o sm {|/ (1.0 + i)|* $n}
""",
    "convolution": """
hh = np.zeros(n + {rows|n})
for i in range(n):
    for j in range({rows|min(n, rows)|n}):
        hh[i + j] {+=|+=|=|-=} $V[i] * $V[j % n]
$N += np.sum({hh ** 2|hh[:n] * $V|hh * np.sin(hh)|hh[n // 2]})
""",
    # --- products of matrices by loops
    "matmul": """
pr = {np.zeros((rows, rows))|np.full((rows, rows), $n)|np.eye(rows) * s}
for i in range({rows|rows|rows - 1}):
    for j in range({rows|rows|i + 1|i, rows}):
        for k in range({n|n|1, n|n - 1|i, n}):
            {|if k != {i|j}: }pr[{i, j|i, j|j, i}] {+=|+=|+=|-=} {$Aa[i, k] * $Ab[j, k]|$Aa[i, k] * $Aa[j, k]|$Aa[i, k] * $Ab[j, k] * $V[k]|$Aa[i, k] * $Ab[j, n - 1 - k]|($Aa[i, k] - $Ab[j, k]) ** 2|np.tanh($Aa[i, k]) * $Ab[j, k]|$Aa[i, k] * $V[k] * pr[i, j] * 0.1}
        {||pr[i, j] = np.tanh(pr[i, j])|pr[j, i] = pr[i, j]|pr[i, j] += $n}
$N += np.sum({pr|pr * pr|np.tanh(pr)|pr[0]|np.diag(pr)|pr @ pr})
""",
    "matvec": """
for j in range({rows|rows|min(rows, n)}):
    sm = $z
    for i in $R:
        sm += {$Aa[j, i] * $V[i]|$Aa[j, i] * $Aa[j, i]|$Aa[j, i] * $A[0, i]|$Aa[j, i] * $V[i] * $V[j % n]|$Aa[j, n - 1 - i] * $V[i]}
        {||$B[j, i] += sm * 0.1}
    {$Wa[j % n] $o np.tanh(sm)|$N += np.tanh(sm)|$N += sm * $n|$N = $N * 0.5 + sm|$Ba[j, 0] = sm}
""",
    "layers": """
hid = np.zeros((rows, {n|3}))
for j in range(rows):
    for i in range(hid.shape[1]):
        sm = {0.0|$V[i % n]}
        for k in range(n):
            sm += $Aa[j, k] * {qq[k, i % n]|qq[i % n, k]|$Aa[(j + i) % rows, k]}
        hid[j, i] {=|=|+=} {np.tanh(sm)|sm|max(sm, 0.0)}
$N += np.sum(hid * hid {|* 0.1})
""",
    "outer": """
for k in range({rows|3|2}):
    {qq += np.outer($V, $V) * 0.1|qq += np.outer($A[k % rows], $V)|qq -= np.outer(qq @ $V, $V) * 0.1|qq += np.outer($A[k % rows], $A[k % rows])|qq[:] = 0.5 * qq + np.outer($V, $V)}
    {||$N += $V @ qq @ $V|$W = np.tanh(qq @ $V)|$W = np.tanh(qq.T @ $W)|if $n > 0.0: qq = qq * 0.5|$N += qq[0, -1]}
$N += np.sum(qq * {qq|0.1|np.outer($V, $V)})
""",
    "network": """
hid = $V.copy()
for k in range({rows|3|2}):
    hid = np.tanh({qq @ hid + $A[k % rows]|hid @ qq + $A[k % rows]|qq.T @ hid + $n|qq @ (qq.T @ hid)|qq @ hid + hid * $V})
    {||$N += hid @ $V|$N += hid[0]|hid[0] = s|if hid[0] > 0.2: hid = hid * 0.5}
$N += np.sum(hid ** 2)
""",
    "diagonal": """
$N += {np.trace($Aa @ $A.T)|np.sum(np.diag($A.T @ $A) * $V)|np.trace(qq @ qq)|np.sum(np.diag(qq @ qq.T))|np.sum(np.diag(qq) * $V)|np.trace(np.outer($V, $V) @ qq)|np.sum(np.diag($V) @ qq @ np.diag($V))|np.trace(qq @ np.diag($V))|np.sum(np.diag(qq @ qq @ qq))|np.sum(np.diag(qq @ qq, 1))|np.trace(qq @ qq.T, 1)|np.sum(np.diag(np.diag($V) @ qq))}
""",
    "summed": """
$N += {np.sum(np.sum($A @ qq, axis=0) * $V)|np.sum(np.sum($A @ qq, axis=1) ** 2)|np.sum(np.mean(np.tanh($A @ qq), axis=0) * $V)|np.sum($A @ qq)|np.sum(($A @ qq) * $A)|np.sum(np.sum(qq @ qq.T, axis=1, keepdims=True) * qq)|np.sum(np.einsum("ij,kj->ik", $A, $A) ** 2)|np.sum(np.einsum("ij,j->i", $A, $V))|np.sum(np.einsum("ii->i", qq) * $V)|np.sum(($A + $V) @ qq)}
""",
    "elimination": """
el = {qq + 3.0 * np.eye(n)|qq @ qq.T + np.eye(n)|np.eye(n) * 2.0 + 0.1 * qq}
for k in range(n{| - 1}):
    for i in range({k + 1|k + 1|0}, n):
        {|if i == k: continue}
        el[i, k] = el[i, k] / {el[k, k]|el[k, k]|(1.0 + el[k, k] ** 2)}
        for j in range({k + 1|k + 1|k|i}, n):
            el[i, j] -= el[i, k] * el[k, j]
$N += {np.sum(np.log(np.abs(np.diag(el)) + 0.1))|np.sum(np.tanh(el))|el[-1, -1]}
""",
    "cholesky": """
el = {qq @ qq.T + np.eye(n) * 2.0|$A.T @ $A + np.eye(n)}
for j in range(n):
    for k in range(j):
        for i in range(j, n):
            el[i, j] -= el[i, k] * el[{j|j|i}, k]
    el[j, j] = np.sqrt({el[j, j]|abs(el[j, j]) + 0.1})
    for i in range(j + 1, n):
        el[i, j] /= el[j, j]
$N += {np.sum(np.log(np.abs(np.diag(el)) + 0.01))|np.sum(np.tril(el) ** 2)|el[-1, 0]|np.sum(np.tanh(el))}
""",
    "pairs": """
for i in range(n):
    for j in range({n|i|i + 1, n|i + 1}):
        if {i != j|j > i|True|i + j < n}:
            {d = $V[i] - $V[j]|d = $V[i] * $V[j]|d = ($V[i] - $V[j]) ** 2 + 0.1}
            {$W[i] += np.sin(d)|$Wa[i] += d * 0.1; $Wa[j] -= d * 0.1|$N += np.exp(-d * d)|$N += qq[i, j] * d|qq[i, j] $o d|$N += 1.0 / (1.0 + d * d)}
""",
    "triangle": """
for i in range(n):
    for j in range({i|i + 1|i, n|n - i|n - 1 - i}):
        {qq[i, j] $o $V[i] * $V[j]|qq[j, i] = qq[i, j] * $n|qq[i, i] += qq[i, j]|qq[i, n - 1 - i] $o $V[j]|qq[j, j] *= 0.9|$N += qq[i, j] * qq[j, i]|$W[i] += qq[i, j] * $V[j]|$W[j] += qq[i, j]|$Wa[i] = $Wa[i] + 0.1 * $Wa[j]}
""",
    # --- positions that are data
    "scatter": """
pp = {np.argsort($V)|np.arange(n) // 2|np.arange(n)[::-1]|(np.arange(n) * 2) % n|np.zeros(n, dtype=np.int64)|np.argsort(np.argsort($V))|np.arange(n) - 1|np.arange(n) - n}
{$W[pp] $o $V|np.add.at($Wa, pp, $V)|for i in range(n): $Wa[pp[i]] $o $e|for i in range(n): $Wa[i] $o $V[pp[i]]|$W[pp] = $V[pp] * $V|for i in range(n): $Wa[pp[i]] $o $Wa[pp[i - 1]] * 0.5|for i in range(n): $Wa[pp[i]] += $V[i]; $Wa[pp[-1 - i]] -= $V[i]|$W = $V[pp] - $V|$N += np.sum($V[pp] * $V)}
{||pp[0] = 0|pp[-1] = 0}
{||$N += $V[pp[0]]|$W[pp] += $V}
""",
    "moving_places": """
pp = {np.argsort($V)|np.arange(n) // 2|np.arange(n)[::-1]|np.arange(n) % 2|np.zeros(n, dtype=np.int64)}
lg = {np.zeros(3 * n + 4)|np.full(3 * n + 4, $n)}
lg[{0|1|n}] = $z
for i in {range(n)|range(1, n)|range(n - 1, -1, -1)|range(1, n)}:
    k = {max(pp[i], 0)|max(pp[i], 1)|i // 2|min(i, 2)|max(i - 2, 0)|i % 2 + 1|2 * i|max(pp[i], 1)|abs(n // 2 - i)}
    lg[{i + k|k|k + 1|i + k + 1|2 * k}] {=|=|=|+=|*=} {$V[i]|lg[i + k] * $V[i]|lg[k] * $V[i] + 0.1|lg[k - 1] + $V[i]|lg[i + k - 1] * $V[i]|lg[k + 1] + $e|np.tanh(lg[k] + $V[i])|lg[i] * $V[i]}
    {||$N += lg[k] * $V[i]|$N += lg[k + 1]|$N += lg[i]|lg[k] += $V[i]|lg[k + 1] -= 0.5 * $V[i]}
$N += {np.sum(lg * lg)|lg[n]|np.sum(np.tanh(lg))}
""",
    "moving_nest": """
lg = {np.zeros(3 * n + 4)|np.full(3 * n + 4, $n)}
for i in {range(n)|range(1, n)|range(n - 1, -1, -1)}:
    {|k = i // 2|k = min(i, 2)}
    for j in range({2|3|rows|i|i + 1|n - i}):
        {q = i + j|q = n + i - j|q = 2 * i + j|q = j|q = i|q = max(i - j, 0)|q = min(i, j)|q = max(i, j) + 1|q = (i + j) % n|q = abs(i - j)}
        {lg[q] = $V[i] * $V[j % n]|lg[q] = lg[q] * $V[i] + 0.1|lg[q] += $V[i]; lg[q + 1] -= $V[j % n]|lg[q] = np.tanh(lg[q + 1] + $V[i])|lg[q] = 0.5 * lg[q - 1] + $V[j % n]|lg[q] *= $V[i]|$N += lg[q]; lg[q] = $V[i]|lg[q] = $V[i]; $N += lg[q + 1]|lg[q + 1] = lg[q] * $V[i]}
    {||$N += lg[i] * $V[i]|lg[i] = $n|$N += lg[i + 1]|lg[i] += 0.1}
$N += {np.sum(lg * lg)|lg[n]|np.sum(np.tanh(lg))}
""",
    "moving_rows": """
for j in range({rows|1, rows|rows - 1}):
    {k = j|k = j // 2|k = min(j, 1)|k = max(j - 1, 0)|k = rows - 1 - j|k = (j + 1) % rows}
    for i in $R:
        {$Ba[k, i] = $Ba[j, i] * $V[i]|$Ba[k, i] = np.tanh($Ba[k, i] + $A[j, i])|$Ba[j, i] = $Ba[k, i] + 0.3 * $V[i]|$Ba[k, i] += $V[i]; $Ba[j, i] *= 0.5|$Ba[k, i] = $Ba[k - 1, i] + $A[j, i]|$Ba[k, i] = $Ba[k, i - 1] * $V[i]|$Ba[k, n - 1 - i] = $Ba[j, i] * $V[i]}
        {||$N += $Ba[k, i] * $V[i]|$N += $Ba[j, i]}
""",
    "few_columns": """
cc = np.zeros((n + 2, 4)) + {0.1|$n}
for i in {range(n)|range(1, n)|range(n, 0, -1)}:
    cc[i, {0|3}] {+=|=} {$V[i % n]|cc[i - 1, 0] * $V[i % n]|cc[i + 1, 1]}
    cc[i + 1, {0|3}] {+=|=|-=} {$V[i % n] * 0.5|cc[i, 0] * 0.5}
    {||$N += cc[i - 1, {0|3}]|cc[i, 1] = cc[i, 0] + cc[i - 1, 3]|cc[i - 1, {0|3}] += $V[i % n]}
$N += np.sum(np.tanh(cc))
""",
    "from_both_ends": """
sh = {np.zeros(n - 1)|np.full(n - 1, $n)|$V[1:].copy()}
for i in {range(n)|range(n)|range(-2, n - 1)|range(-1, n - 2)|range(n - 1, -1, -1)|range(1 - rows, n - 1)|range(n - 2, -2, -1)}:
    {sh[i - 1] = $V[i]|sh[i - 1] = $e|sh[i - 1] += $e|sh[i - 1] = sh[i - 1] * $V[i] + 0.1|sh[i - 2] = np.tanh(sh[i - 1] + $V[i])|sh[i - 1] *= $V[i]|sh[-i] = $V[i]|sh[-1 - i] += $e * sh[i - 1]}
    {||$N += sh[i - 1] * $V[i]|$W[i] += sh[i - 1]|$N += sh[0]|sh[0] = $V[i]|sh[i - 2] += 0.1}
{|for i in range(n):
    {$N += sh[i - 1] * $V[i]|$W[i] $o sh[i - 1]|sh[i - 1] = sh[i - 1] * 0.5 + $V[i]|$N += (sh[i - 1] - sh[i - 2]) ** 2}}
$N += np.sum(sh * {sh|0.3|np.sin(sh)})
""",
    "mask": """
mk = $x {>|<|>=} {0.0|9.0|$n|$V}
{$W[mk] $o $V[mk]|$W[mk] $o $n|$N += np.sum($V[mk] ** 2)|$W = np.where(mk, $x, $V)|$W[~mk] = $V[~mk] * $n|$N += np.sum(np.where(mk, $V, 0.0))|if np.any(mk): $N += np.sum($V[mk]) / np.sum(mk)|$N += np.sum($V * mk)|$N += np.sum(np.sqrt(np.where(mk, np.abs($V), 1.0)))|for i in range(n):
    if mk[i]: $W[i] $o $V[i]|$W = np.clip($V, -0.5, {0.5|$n})|$W = np.maximum($V, $V * $n)}
""",
    "counters": """
k = {0|n - 1}
for i in range(n):
    if {$V[i] > 0.0|i % 2 == 0|$V[i] > $n}:
        {$W[k] $o $V[i]|$N += $V[k] * $V[i]}
        k {+=|-=} 1
    {||else:
        $N += $V[k % n]|if k < 0: k = n - 1|k = max(min(k, n - 1), 0)}
    {||k = k % n|k = (k + n) % n}
$N += {$V[k % n]|0.1 * k}
""",
    "rotate_array": """
{$Wa[1:] = $Wa[:-1]|$Wa[:-1] = $Wa[1:]|$Wa[:] = $Wa[::-1]|$Wa[::2] = $Wa[::-1][::2] * 0.5|for i in range(1, n): $Wa[i] = $Wa[i - 1]|for i in range(n - 1, 0, -1): $Wa[i] = $Wa[i - 1]|for i in range(n // 2): $Wa[i], $Wa[n - 1 - i] = $Wa[n - 1 - i], $Wa[i]|for i in range(n): $Wa[i] = $Wa[n - 1 - i]|$Wa[1:] += $Wa[:-1]|$Wa[0] = $n; $Wa[1:] *= $Wa[0]}
""",
    # --- blocks and rows
    "rows_of_arrays": """
for j in range(rows):
    {$Ba[j] = np.tanh($Aa[j] * $V)|$Ba[j] $o $A[j] * $n|$W = $W * 0.5 + $A[j]|$N += $A[j] @ $V|$Ba[j] = $Ba[j - 1] * 0.5 + $A[j]|$Ba[j, 1:] -= $Ba[j, :-1] * $n|$N += np.max($A[j])|$Ba[j] -= np.mean($Ba[j])|$W[:] = $A[j] * $W|$Ba[j] += $Ba[rows - 1 - j] * 0.3|$N += np.sum(np.exp(-($A[j] - $V) ** 2))|$Ba[j] = qq @ $A[j]|$W += qq @ $A[j]|$Ba[j, ::-1] = $A[j]}
""",
    "columns_of_arrays": """
for i in range({n|1, n|n - 1, -1, -1}):
    {$Ba[:, i] = np.tanh($Aa[:, i] * $n)|$Ba[:, i] = $Ba[:, i - 1] * 0.5 + $A[:, i]|$Ba[:, i] $o np.sum($A[:, i])|$N += np.max($A[:, i])|$N += np.sum($A[:, i] * $A[:, i - 1])|$W[i] $o np.mean($A[:, i])|$Ba[:, i] -= $Ba[:, 0] * $V[i]}
""",
    "steps_in_while": """
k = {0|1}
er = {1.0|$n}
while k < {n|5|rows|0}{| and er > 0.1}:
    {$W[k % n] $o $V[k - 1]|$N += $V[k % n] * er|za = $V * er; $N += za @ za|qq[k % n] *= 0.9}
    {||if $V[k % n] > 1.0: break|if $V[k % n] < -1.0:
        k += 1
        continue}
    er = er * {0.7|np.tanh($V[k % n] + 1.0)|0.5 + 0.1 * k}
    k += {1|1|2}
$N += er {|+ 0.1 * k}
""",
    "scratch": """
zs = {np.zeros(n)|np.full(n, 0.3)}
for j in range(rows):
    for i in {range(n)|range(n)|range(1, n)|range(n - 1)}:
        zs[i] {=|=|+=} {$A[j, i] * $V[i]|np.sin($A[j, i])|$A[j, i] + 0.5 * zs[i - 1]}
    {||if $V[j % n] > 0.0: zs[0] = $n|zs[0] = 0.0}
    for i in {range(n)|range(n)|range(1, n)}:
        {$Ba[j, i] $o zs[i] * zs[i - 1]|$N += zs[i] ** 2|$W[i] += zs[n - 1 - i]}
    {||$N += zs[0]}
{||$N += zs[-1]}
""",
    "cumulative": """
{$W = np.cumsum($x)|$W = np.cumprod($V) * 0.5|$N += np.sum(np.diff($V) ** 2)|$W[1:] = np.diff($V)|$W = np.cumsum($V[::-1])[::-1]|$B = np.cumsum($A, axis={0|1})|$W = np.maximum.accumulate($V)|$W = np.sort($x)|$N += np.sum(np.sort($V)[:3])|$W = np.interp($V, np.sort($V), $V)|$N += np.prod($V[:4])}
""",
    "norms": """
$N += {np.linalg.norm($x)|np.sqrt(np.sum($V ** 2) + 0.1)|np.sum(np.abs($V))|np.linalg.norm($A)|np.sum(np.linalg.norm($A, axis=1))|np.max(np.abs($V))|np.ptp($V)|np.mean($V) * np.var($V)|np.sum($V / np.linalg.norm($V))}
""",
    "solve": """
el = qq @ qq.T + np.eye(n) * {1.0|2.0|(1.0 + s * s)}
{$W = np.linalg.solve(el, $V)|$N += $V @ np.linalg.solve(el, $V)|$N += np.log(np.linalg.det(el))|$N += np.linalg.slogdet(el)[1] + $V @ np.linalg.inv(el) @ $V|ll = np.linalg.cholesky(el); $N += np.sum(np.log(np.diag(ll))) + np.sum(np.linalg.solve(ll, $V) ** 2)|$N += np.trace(np.linalg.solve(el, qq))|for k in range(3): $Wa = np.linalg.solve(el, $Wa + $V)|el[0, 0] += $n; $N += np.sum(np.linalg.inv(el))}
""",
    "branch_states": """
st = $z
ot = $z
for i in $R:
    if {$V[i] > 0.0|st > ot|i % 3 == 1|$V[i] > st}:
        {st = ot|st = $e|ot = st * 0.5|st, ot = ot, st|$Wa[i] = st; st = 0.0|$Wa[0] += st|st = -st}
        {|st = st + 0.1|ot += $V[i]}
    {||elif $V[i] < -1.0:
        st *= 0.5|else:
        ot = {ot * 0.9 + $V[i]|$e|st}}
    {||$N += st * ot|$W[i] += ot}
$N += st - 0.5 * ot
""",
    "early": """
for i in $R:
    if {$V[i] > 1.2|$N > 2.0|$V[i] * $V[i] > 1.5}:
        {break|continue|$N += $V[i]; break|$W[i] = 0.0; continue}
    {$N += $e|$W[i] $o $e|$N = np.tanh($N + $e)}
{||else:
    $N += $n}
""",
    "same_twice": """
{$Wa *= $Wa|$Wa += $Wa[::-1]|$N += $Va @ $Va|$N += np.sum($Va * $Va[::-1])|$Wa[:] = $Wa * $Wa[0]|$Wa -= $Wa[0]|$Wa /= 1.0 + $Wa[-1] ** 2|$Wa *= $Wa.sum()|$N += np.sum(np.outer($Va, $Va) @ $Va)|$Wa[1:] *= $Wa[1:]|np.sin($Wa, out=$Wa)|np.multiply($Wa, $V, out=$Wa)|np.add($Wa[1:], $V[1:], out=$Wa[1:])}
""",
    "view": """
vw = {$Wa[::2]|$Wa[1:]|$Wa[::-1]|$Ba[0]|$Ba[:, 0]|$Wa|$Wa[:-1]|$Ba.T[0]|$Ba.reshape(-1)}
vw {*= 0.5|+= $n|[0] = $n|[-1] += s|-= vw.mean()|[:] = np.tanh(vw)}
{||$N += np.sum(vw * vw)|$N += vw[0]}
$Wa[0] $o $n
$N += np.sum(vw)
""",
    "stretch": """
{$B = $A * $V + $A[:, :1]|$N += np.sum($A[:, 0][:, None] * $V[None, :])|$N += np.sum(($A[:, None, :] - $A[None, :, :]) ** 2)|$N += np.sum(np.exp(-(($V[:, None] - $V[None, :]) ** 2)))|qq = qq + $V[:, None] * 0.1|$W = $A.sum(axis=0) * $V|$B = $A - $A.sum(axis=1)[:, None]|$B += $V * $n|$W += np.tanh($A[:1] * $V)[0]|$N += np.sum(np.broadcast_to($V, (rows, n)) * $A)}
""",
}
