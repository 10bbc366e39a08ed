"""The tape engine: operations on Tensors are recorded as they run, and differentiated in reverse."""

from adc.tape import autograd as autograd
from adc.tape import inference as inference
from adc.tape.dispatch import call as call
from adc.tape.recomputed import recomputed as recomputed
from adc.tape.record import call_as_node as call_as_node
from adc.tape.state import detect_anomaly as detect_anomaly
from adc.tape.state import enable_grad as enable_grad
from adc.tape.state import inference_mode as inference_mode
from adc.tape.state import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from adc.tape.state import is_anomaly_enabled as is_anomaly_enabled
from adc.tape.state import is_grad_enabled as is_grad_enabled
from adc.tape.state import is_inference_mode_enabled as is_inference_mode_enabled
from adc.tape.state import no_grad as no_grad
from adc.tape.state import set_grad_enabled as set_grad_enabled
from adc.tape.tensor import Tensor as Tensor
from adc.tape.tensor import from_numpy as from_numpy
from adc.tape.tensor import tensor as tensor
from adc.tape.trace import jvp as jvp
from adc.tape.trace import linearize as linearize
from adc.tape.trace import value_and_grad as value_and_grad
from adc.tape.trace import vjp as vjp
