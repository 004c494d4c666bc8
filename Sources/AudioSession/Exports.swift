@_exported public import PulseTypes
@_exported public import SessionCore
