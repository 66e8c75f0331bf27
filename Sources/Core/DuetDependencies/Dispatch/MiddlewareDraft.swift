import Duet

/// Middleware as it was listed for the dispatcher: an instance, or a factory whose parameters are its dependencies.
struct MiddlewareDraft: Sendable {
    let registration: Registration?
    /// Returns the layer of a container with these providers.
    let layer: @Sendable (_ providers: [DependencyKey: any AnyObject & Sendable]) -> any ContainerLayer

    init(_ middleware: any Middleware) {
        registration = nil
        let layer = instance(middleware)
        self.layer = { _ in layer }
    }

    /// - Parameter index: The position in the list, because several layers may have the same type.
    init<Made: Middleware>(_ maker: FactoryMaker<Made>, index: Int, _ location: SourceLocation) {
        let name = DependencyName("middleware \(index + 1)")
        let registration = Registration(shared: maker, .singleton, named: name, location)
        self.registration = registration
        layer = { MadeLayer<Made>(name: name, provider: $0[registration.key]) }
    }
}

/// Opens the existential, so that the middleware is called by its concrete type.
private func instance(_ middleware: some Middleware) -> any ContainerLayer { InstanceLayer(middleware: middleware) }
