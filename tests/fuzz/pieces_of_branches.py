"""Pieces of random programs: branches in loops that write, add and carry on both sides (tests/fuzz/patterns.py)."""

# ruff: noqa: E501  (a choice stands on the line that it is part of)

PIECES = {
    "two_sides": """
for i in $R:
    {|$Wb[i] $o $e|held = $Wa[i]}
    if {$V[i] > 0.0|$V[i] < $n|i % 2 == 0|$V[i] > $V[n - 1 - i]}:
        {|$Wa[n - 1 - i] += $e|$Wa[i - 1] += $e|$Wb[i] += $e|$N += $e}
        $Wa[i] $o $e
        {||$Wa[n - 1 - i] += $e|$Wb[i] $o $e|$Wa[0] += $n|$Wa[i] += $e}
    {else|else|elif $V[i] < 0.5}:
        {|$Wa[n - 1 - i] += $e|$Wb[n - 1 - i] += $e|$Wa[-1] -= $e|$N += $e}
        {$Wa[i] $o $e|$Wb[i] $o $e|$Wa[i] += $e}
        {||$Wa[i - 1] += $e|$Wa[i] += $e|$Wb[i] += $Wa[i]}
""",
    "two_sides_of_rows": """
for j in range(rows):
    for i in $R:
        if {$A[j, i] > 0.0|$V[i] < $n|i >= j|i == j}:
            {|$Ba[j, n - 1 - i] += $e|$Ba[0, i] += $e|$Ba[j, 0] += $n|$W[i] += $A[j, i]}
            $Ba[j, i] $o $e
            {||$Ba[j, i] += $A[j, i]|$Ba[rows - 1 - j, i] += $n}
        else:
            {|$Ba[rows - 1 - j, i] += $e|$W[n - 1 - i] += $A[j, i]|$Ba[j, i] *= $n}
            {$Ba[j, i] $o $e|$Ba[j, i] = $A[j, i] * $n|$W[i] $o $e}
""",
    "in_turn": """
for i in $R:
    if $V[i] > {0.0|$n}:
        $Wa[i] {=|+=} $e
    if $V[i] {>|<} {0.3|$n}:
        {$Wa[i] += $e|$Wa[n - 1 - i] += $e|$Wb[i] $o $Wa[i]|$Wa[i] = $n}
    {|else:
        $Wa[n - 1 - i] -= $e}
    {|$Wb[i] += $Wa[i]|$N += $Wa[i] * $n|$Wa[i] *= 0.5}
""",
    "within": """
for i in $R:
    if $V[i] > -0.5:
        {|$Wa[i] += $e}
        if $V[i] < {0.5|$n}:
            {$Wa[i] = $e|$Wa[n - 1 - i] += $e|st = $e; $Wa[i] += st}
        {|else:
            $Wa[i] {+=|=} $n|else:
            $Wa[0] += $e; $Wa[i] = $n}
        {|$Wa[i] += $n}
    else:
        $Wa[i] {=|+=|*=} $e
    {|$N += $Wa[i]}
""",
    "chosen_place": """
for i in $R:
    to = {i if $V[i] > 0.0 else n - 1 - i|i // 2|n - 1 - i if i % 2 else 0|min(i + 1, n - 1)|(i + 2) % n|int(abs($V[i]) * 2.0) % n}
    $Wa[to] {=|+=|*=} $e
    {|if $Wa[to] > $n:
        $Wa[i] {=|+=} $Wa[to] * 0.5|$N += $Wa[to] * $Wa[i]|$Wb[i] = $Wa[to]|$Wa[to], $Wa[i] = $Wa[i], $Wa[to]}
""",
    "local_of_a_trip": """
for j in range(rows):
    acc = {np.zeros(n)|m[j].copy()|np.zeros(3)|np.sin(c[j])}
    for i in range(len(acc)):
        {acc[i] += $A[j, i % n] * $n|acc[i] = $A[j, i % n] * $n; acc[i - 1] += $n|if $A[j, i % n] > 0.0:
            acc[i] += $n|if $A[j, i % n] > 0.0:
            acc[i] = $n
        else:
            acc[len(acc) - 1 - i] += 0.5; acc[i] = $n * 2.0}
    {$N += np.sum(acc * acc)|$B[j, 0] += acc[-1]; $N += acc[0]|$Wa[:len(acc)] += acc[:n]|$B[j, :len(acc)] = acc[:n]|$N += acc[0] * acc[-1] + np.max(acc)}
""",
}
