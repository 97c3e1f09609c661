"""The gRPC services: the only code that knows protobuf and gRPC."""
