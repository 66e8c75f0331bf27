/// A contract of which there are many, each under a name of its own.
protocol Plugin: Sendable {}

/// The plugin of a service.
struct ServicePlugin: Plugin {}
