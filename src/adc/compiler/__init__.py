"""The compiler: Python source in, readable adjoint out."""
