/// A protocol with many implementations, each registered by its own name.
protocol Plugin: Sendable {}

/// The plugin of a service.
struct ServicePlugin: Plugin {}
