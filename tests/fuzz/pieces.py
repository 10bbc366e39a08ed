"""Pieces of random programs: what cancels, searches, recurrences, states that change places.

How they are written is told in `patterns`.
"""

# ruff: noqa: E501  (a choice stands on the line that it is part of)

PIECES = {
    # --- what cancels
    "softmax": """
za = $x
top = {np.max(za)|np.max(za)|np.min(za)|za[0]|np.max($V)|np.max(za) * 0.5|np.mean(za)|s}
ex = np.exp(za - top)
$N += {top + np.log(np.sum(ex))|np.log(np.sum(ex))|np.sum(ex * $V) / np.sum(ex)|np.sum(ex / np.sum(ex) * $V)|np.sum(ex) * np.exp(top)|np.sum((ex / ex.sum()) ** 2)|top - np.log(np.sum(ex))|np.log(ex[0] / np.sum(ex[1:]))|np.sum(ex) / (ex[0] + ex[-1])|np.sum(ex * ex) / np.sum(ex)}
{|$N = $N + 0.1 * top|$W = $W + 0.1 * ex / ex.sum()|$W = ex}
""",
    "softmax_rows": """
za = {$A|$A * $n|$A + $V|np.sin($A)}
top = np.max(za, axis={1|1|0}, keepdims=True)
ex = np.exp(za - {top|top|top.max()|2.0 * top})
tot = np.sum(ex, axis={1|1|0}, keepdims=True)
{$N += np.sum(ex / tot * $A)|$N += np.sum(np.log(tot) + top)|$N += np.sum(np.log(tot))|$B = $B + ex / tot|$W = $W + (ex / tot)[0]|$N += np.sum(za - top - np.log(tot))|$N += np.sum((ex / tot) @ x)}
""",
    "softmax_loops": """
top = {-np.inf|x[0]|$V[0]|0.0}
for i in range(n):
    {top = max(top, $Va[i])|if $Va[i] {>|>=} top: top = $Va[i]}
tot = {0.0|0.0|1e-3|1.0}
for i in range(n):
    {tot += np.exp($Va[i] - top)|ee = np.exp($Va[i] - top); tot += ee; $W[i] {=|+=} ee}
{$N += top + np.log(tot)|$N += np.log(tot)|for i in range(n): $W[i] = np.exp($Va[i] - top) / tot|$N += tot}
""",
    "running_softmax": """
top = {-np.inf|-30.0}
tot = 0.0
acc = 0.0
for i in range(n):
    new = max(top, $Va[i])
    tot = tot * np.exp(top - new) + np.exp($Va[i] - new)
    acc = acc * np.exp(top - new) + np.exp($Va[i] - {new|new|top}) * $V[i]
    top = new
$N += acc / tot {|+ 0.1 * np.log(tot)|+ top + np.log(tot)}
""",
    "mean": """
za = $x
ce = za - {np.mean(za)|np.mean(za)|np.mean($V)|np.sum(za) / {n|(n - 1.5)}|np.mean(za[1:])|np.median(za)}
{$N += np.sum(ce)|$N += np.sum(ce * $V)|$N += np.sum(ce * (za - np.mean(za)))|$N += np.sum(ce ** 2) / n|$N += np.mean(ce ** 3)|$N += ce @ (($V) - np.mean($V))|$N += np.sum(ce * ce * $V)|$W = $W * 0.5 + ce|$N += np.sqrt(0.1 + np.mean(ce * ce))|$W = ce / np.sqrt(0.1 + np.mean(ce ** 2))|$N += np.sum(ce * np.exp(ce))|ce[0] = s; $N += np.sum(ce * za)|$N += np.sum(ce[1:] * $V[1:])|$N += np.var(za) + np.std($V + 0.1 * ce)}
""",
    "mean_rows": """
za = {$A|np.sin($A)|$A * $V}
mu = np.mean(za, axis={1|0}, keepdims=True)
ce = za - mu
{$N += np.sum(ce * $A)|$B = ce / np.sqrt(0.1 + np.mean(ce * ce, axis={0|1}, keepdims=True))|$N += np.sum(np.tanh(ce.T @ ce))|$N += np.sum(ce @ x)|$N += np.sum(np.mean(ce, axis=1) ** 2)|$N += np.sum(np.mean(ce, axis=0) ** 2)|$N += np.sum(np.tanh(ce @ $A.T))}
""",
    "mean_loops": """
mu = {0.0|0.0|s|0.1}
for i in $R:
    mu += $Va[i]
mu {/= n|/= n|*= 0.5|/= n + 1}
va = {0.0|t}
for i in $R:
    {va += ($Va[i] - mu) * ($V[i] - mu)|va += ($Va[i] - mu) ** 2|dd = $Va[i] - mu; va += dd; $W[i] $o dd}
$N += {va / n|np.sqrt(1.0 + va * va)|va * mu|mu}
""",
    # --- searches
    "search": """
best = {-np.inf|np.inf|0.0|s|$V[0]|-1e30|1e30|$N}
hit = {0|0|n - 1}
{|other = $V[0]|other = s}
for i in $R:
    {d = $e|d = $V[i] * $n|d = abs($V[i] - $n)|d = $V[i]}
    if d {<|>|<=|>=} best{|| and $V[i] > -0.5| or i == 2}:
        best = {d|d|d|d * 0.5|$V[i]}
        {hit = i|hit = i|hit = n - 1 - i|pass}
        {|other = $V[i]|other = i * s|$W[i] = s|other = best|$W[hit] += d|other = hit * $V[i]}
    {||elif d == 0.0:
        other = 0.0|else:
        $N += 0.1 * $V[i]|$N += best * 0.1|if best > 3.0:
        break|$W[i] = best|if $V[i] < -1.5:
        continue}
$N += {best|best * $V[hit]|np.sin(best) + hit|$V[hit]|best * best + $N|0.0}
{||$W[hit] $o $n|$N += best * $V[hit - 1]|$W[hit] = best}
""",
    "search_other": """
best = {-np.inf|np.inf|$V[0]}
other = $z
hit = 0
for i in $R:
    d = $e
    if d {<|>|<=|>=} best:
        best = d
        hit = i
        other = {$V[i]|$V[i] * $V[hit]|other + $V[i]|best|np.sin($V[i] * $n)|$V[hit]}
    {||other = other * 0.9|$Wa[i] = other|$Wa[i] = $V[i]}
$N += other * {best|1.0|$V[hit]}
""",
    "two_searches": """
lo = {np.inf|$V[0]|s}
hi = {-np.inf|$V[0]|t}
at = 0
up = {0|n - 1}
for i in $R:
    d = $e
    if d < lo:
        lo = d
        at = i
    {if|elif} d > hi:
        hi = {d|d|lo|$V[i]}
        up = {i|i|at}
$N += (hi - lo) * {$V[at]|$V[up]|1.0|$V[at] * $V[up]}
""",
    "nested_search": """
for j in range({rows|n|2}):
    best = {-np.inf|np.inf|0.0|$V[0]}
    hit = {0|j}
    for i in $R:
        {d = $Aa[j % rows, i]|d = ($V[i] - $V[j % n]) ** 2|d = $V[i] * $V[j % n] + $n|d = abs($Aa[j % rows, i]) * $V[i]}
        if d {<|>|<=|>=} best:
            best = d
            hit = i
    {$N += best|$Wa[hit] += best|$Wa[j % n] = best|$N += $V[hit] * best|$B[j % rows, hit] $o best|$N = np.tanh($N * $V[hit] + best)}
""",
    "deep_search": """
best = {-np.inf|np.inf|s}
p = 0
q = 0
for j in range({rows|min(rows, 2)}):
    for i in $R:
        d = {$Aa[j, i]|$Aa[j, i] * $V[i]|$Aa[j, i] - $n}
        if d {<|>|>=} best:
            best = d
            p = j
            {q = i|q = i|pass}
    {||best = best * 0.9|$N += best}
$N += best * {$A[p, q]|$V[q]|1.0}
""",
    "running_extreme": """
top = {$V[0]|-np.inf|0.0|s}
draw = {0.0|$z}
for i in $R:
    top = {max(top, $V[i])|max($V[i], top)|np.maximum(top, $V[i])|min(top, $V[i])|max(top * 0.9, $V[i])}
    {draw = max(draw, top - $V[i])|draw += top|$W[i] = top|draw = min(draw, $V[i] - top) + 0.1 * draw|if top - $V[i] > draw: draw = top - $V[i]}
$N += draw
""",
    "first_found": """
k = {-1|0}
for i in $R:
    if $V[i] {>|<|>=} {0.5|$n|-0.3}:
        k = i
        {break|break|pass|$N += $V[i]}
$N += {$V[k]|0.1 * k|np.sin($V[k])} {|if k >= 0 else $z}
""",
    "argmax": """
k = np.{argmax|argmin}($x)
$N += {$V[k]|$V[k - 1]|$V[k] * $V[n - 1 - k]}
$W[k] $o $n
""",
    # --- recurrences
    "linear": """
st = $z
for i in $R:
    {|$W[i] $o st}
    st = {$d * st + $e|$d * st - $e|st + $e|st + $d * ($e - st)|$e - $d * st|st * $V[i]|st / (2.0 + $V[i] ** 2) + $n|(1.0 - $d) * st + $d * $V[i]|np.tanh(st * $d + $e)|-st + $e}
    {|$W[i] = st|$W[i] $o st * $V[i]|$N += st * $V[i]|$N += st|if $V[i] > 0.3: st = st * 0.5|if st > 0.8: st = $e|$N += np.sin(st)|$W[n - 1 - i] += st}
$N += st
""",
    "coupled": """
p = $z
q = $z
for i in $R:
    {|old = p}
    p = $d * p + {0.1 * q|$V[i] * q|q} + $e
    q = {$d * q + p|0.9 * q - 0.2 * p|p * $V[i]|q + $e|0.5 * q}
    {|p, q = q, p|if i % 2 == 0: p, q = q, p|$N += p * q|$W[i] = p - q|if $V[i] > 0.0: q = p}
$N += {p|q|p * q|p - q}
""",
    "table": """
$Wa[0] = $z
for i in range({1|1|2}, n):
    $Wa[i] = {$d * $Wa[i - 1] + $e|$Wa[i - 1] + $e|$Wa[i - 1] * $V[i]|np.tanh($Wa[i - 1] + $e)|$d * $Wa[i - 1] + 0.2 * $Wa[i - 2] + $e|max($Wa[i - 1] + $e, 0.0)|$Wa[i - 1] - $Wa[0] + $e|$Wa[i - 1] * $Wa[i] * 0.5}
    {||$N += $Wa[i]|$Wa[i - 1] = $n|$W[i] $o $Wa[i - 1]|$N += $Wa[0]}
""",
    "backward_table": """
$Wa[n - 1] {*=|=|+=} $n
for i in range(n - 2, -1, -1):
    $Wa[i] = {($V[i] - $d * $Wa[i + 1]) / (2.0 + $V[i] ** 2)|$Wa[i + 1] * $d + $e|$Wa[i] + $d * $Wa[i + 1]|$V[i] * $Wa[i + 1] + $Wa[i]}
    {||$N += $Wa[i + 1]|$W[i] = $Wa[i]}
""",
    "thomas": """
cp = np.zeros(n)
dp = np.zeros(n)
for i in range(n):
    low = {$V[i] * 0.3|0.3} if i > 0 else 0.0
    den = 2.0 + $V[i] ** 2 - low * {cp[i - 1]|cp[i - 1]|dp[i - 1]}
    cp[i] = {0.2|$V[i] * 0.2} / den
    dp[i] = ($V[i] - low * dp[i - 1]) / den
for i in range(n - 2, -1, -1):
    dp[i] -= cp[i] * dp[i + 1]
{$W = dp|$N += dp @ $V|$W[:] = dp * $n|$W += cp * dp}
""",
    "grid_table": """
for j in range({1|1|0}, rows):
    for i in range({1|1|0}, n):
        $Ba[j, i] = {$Ba[j - 1, i] * 0.3 + 0.2 * $Ba[j, i - 1] + $e|$Aa[j, i] + min($Ba[j - 1, i], $Ba[j, i - 1])|$Aa[j, i] + min($Ba[j - 1, i], $Ba[j, i - 1], $Ba[j - 1, i - 1])|0.5 * $Ba[j - 1, i - 1] + $Aa[j, i]|$d * $Ba[j, i - 1] + $Aa[j, i]|$d * $Ba[j - 1, i] + $e|$Ba[j, i] * 0.5 + 0.1 * ($Ba[j - 1, i] + $Ba[j, i - 1])|max($Ba[j - 1, i], $Ba[j, i - 1] + $e)|$Ba[j - 1, (i + 1) % n] * 0.4 + $e}
        {||$N += $Ba[j, i]|$N += $Ba[j - 1, i - 1] * 0.1}
""",
    "sweep": """
for j in range({1|0}, rows - 1):
    for i in range({1|1|0}, n - 1):
        $Ba[j, i] = {0.25 * ($Ba[j - 1, i] + $Ba[j + 1, i] + $Ba[j, i - 1] + $Ba[j, i + 1])|$Ba[j, i] + $d * ($Ba[j, i - 1] - $Ba[j, i]) * $Ba[j + 1, i]|$Aa[j, i] + 0.2 * ($Ba[j - 1, i + 1] + $Ba[j, i - 1])|(1.0 - $d) * $Ba[j, i] + $d * 0.5 * ($Ba[j, i - 1] + $Ba[j - 1, i])}
""",
    # --- rows of recurrences, tiles
    "rows_of_recurrences": """
for j in range(rows):
    st = {$z|$A[j, 0]|$V[j % n]}
    for i in {range(n)|range(1, n)|range(n - 1, -1, -1)|range(j % n, n)}:
        st = {st * np.exp(-$Aa[j, i] ** 2) + $V[i]|np.tanh(st + $Aa[j, i])|st + $Aa[j, i] * $V[i]|$d * st + $Aa[j, i]|st * $Aa[j, i]|st + $n * (np.sin($Aa[j, i]) - st)|st if st > $Aa[j, i] else $Aa[j, i] + 0.1 * st}
        {||$B[j, i] $o st|$N += st * $A[j, i]|$W[i] += st}
    {$N += st|$N += st * st|$Wa[j % n] $o st|$B[j, 0] = st|$N = np.tanh($N + st)}
""",
    "columns": """
for i in range(n):
    st = $z
    for j in range({rows|rows - 1}):
        st = {np.tanh(st + $Aa[j, i])|$d * st + $Aa[j, i]|st * np.cos($Aa[j, i]) + $V[i]|max(st, $Aa[j, i])|st + $Aa[j, i] * $Aa[j - 1, i]}
        {||$B[j, i] $o st|$N += st}
    $W[i] $o st
""",
    "elementwise_steps": """
za = {np.zeros(n)|$V.copy()|$V * 0.5}
for k in range({4|5|rows|n|0|1}):
    za = {np.tanh(za * za + $V)|za + 0.1 * (np.sin(za) - $V)|za * np.cos(za) + $n|za - 0.1 * za ** 2 + 0.1 * $V * k|np.where(za > $V, za * 0.5, $V)|np.maximum(za * 0.9, $V)|za + 0.1 * $A[k % rows]}
    {||za[0] = $n|$N += np.sum(za * $V)|$N += np.sum(za) / (1.0 + n)|za = za - za.mean()|$W += za * 0.1|$N += za[-1]|if np.sum(za) > 2.0: break|$A[k % rows].sum()}
{$N += np.sum(za * za)|$W = za|$N += za @ $V|$W[:] = za}
""",
    "elementwise_loops": """
for k in range({4|rows|3|n}):
    {pp = 0.0|pp = $n}
    for i in $R:
        $Wa[i] = {np.tanh($Wa[i] * $V[i] + 0.1)|$Wa[i] + 0.1 * np.sin($Wa[i]) * $V[i]|$Wa[i] * 0.9 + 0.1 * k|$Wa[i] + 0.1 * pp|$Wa[i] + 0.1 * $Wa[n - 1 - i]|$Wa[i] * np.cos($n) + 0.1}
        {||pp += $Wa[i]|pp = max(pp, $Wa[i])}
    {||$N += pp|$N += $Wa[k % n]}
""",
    # --- states that change places
    "swap": """
now = {$V.copy()|$V.copy()|$V}
old = {$V.copy()|np.zeros(n)|now|now.copy()}
{new = np.zeros(n)|new = $V.copy()|pass}
for k in range({2|3|4|1|0|rows}):
    new = {2.0 * now - old|now + 0.1 * (np.roll(now, 1) - now)|np.sin(now) + 0.1 * old|now * $V|now + 0.2 * (np.roll(now, 1) - 2.0 * now + np.roll(now, -1)) - 0.1 * old}
    {||new[0] = {$n|0.0|new[-1]|old[0]}|new[-1] = now[0]|new[1:-1] += 0.1 * old[2:]}
    {old, now = now, new|now, old = new, now|old = now; now = new|now = new|old[:] = now; now[:] = new|old = now.copy(); now = new|now, old = old, new}
    {||$N += now[0]|$N += now @ old|$N += np.sum(new * now)|$W[k % n] = now[n // 2]|$Ba[k % rows] = now}
{$N += now @ $V|$W = now|$W = old|$N += np.sum(now * old)}
""",
    "swap_loops": """
now = {$V.copy()|np.zeros(n)}
old = {$V.copy()|np.zeros(n)}
{new = np.zeros(n)|new = $V.copy()|new = np.empty(n); new[0] = 0.1; new[-1] = $n}
for k in range({2|3|4|1|0|rows}):
    for i in range(1, n - 1):
        new[i] = {2.0 * now[i] - old[i] + 0.2 * (now[i + 1] - 2.0 * now[i] + now[i - 1])|now[i] + $V[i] * (now[i - 1] - now[i + 1])|np.tanh(now[i - 1] + old[i])|now[i] * old[i + 1]|old[i] + 0.1 * new[i - 1]}
    {||new[0] = {new[1]|$n|now[-1]}|new[n - 1] = old[0]}
    {old, now, new = now, new, old|old, now, new = now, new, old|now, new = new, now|old[:] = now; now[:] = new|old, now = now, new.copy()|old, new = new, old}
    {||$N += now[0]|$N += now[n // 2] * old[0]|$W[k % n] = now[n // 2]}
{$N += now @ $V|$W = now|$N += np.sum(old * now)|$N += new @ now}
""",
    "two_rows": """
tt = np.zeros((2, n))
tt[0] = {$V|$n}
for k in range({rows|3|4}):
    for i in range(n):
        tt[(k + 1) % 2, i] = {0.5 * tt[k % 2, i] + $V[i]|np.tanh(tt[k % 2, i] + 0.3 * tt[k % 2, i - 1])|min(tt[k % 2, i], tt[(k + 1) % 2, i - 1]) + $V[i]|tt[(k + 1) % 2, i] + $d * tt[k % 2, i]}
$N += tt[{0|1|rows % 2}] @ $V
""",
    "trajectory": """
path = np.zeros(({n + 1|n + 1|n + 2}, 2))
path[0, 0] = $n
path[0, 1] = $z
for i in range(n):
    path[i + 1, 0] = path[i, 0] + 0.1 * path[{i|i|i + 1|i - 1}, 1]
    path[i + 1, 1] = path[i, 1] - {0.1 * np.sin(path[i, 0])|0.1 * path[i + 1, 0]|$V[i] * path[i, 0]}
$N += {path[-1, 0]|np.sum(path ** 2)|path[n // 2, 1] * path[n, 0]}
""",
}
