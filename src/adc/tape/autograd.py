"""The names of `torch.autograd`, for NumPy."""

from adc.tape import function as function
from adc.tape import functional as functional
from adc.tape import graph as graph
from adc.tape.checks import gradcheck as gradcheck
from adc.tape.checks import gradgradcheck as gradgradcheck
from adc.tape.function import Function as Function
from adc.tape.function import once_differentiable as once_differentiable
from adc.tape.gradients import backward as backward
from adc.tape.gradients import grad as grad
from adc.tape.state import detect_anomaly as detect_anomaly
from adc.tape.state import enable_grad as enable_grad
from adc.tape.state import inference_mode as inference_mode
from adc.tape.state import no_grad as no_grad
from adc.tape.state import set_detect_anomaly as set_detect_anomaly
from adc.tape.state import set_grad_enabled as set_grad_enabled
