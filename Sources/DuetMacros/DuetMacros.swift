@_exported public import Duet
@_exported public import DuetDependencies
