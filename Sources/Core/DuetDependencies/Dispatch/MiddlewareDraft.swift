import Duet

/// Middleware as it was listed for the dispatcher: an instance, or a factory whose parameters are its dependencies.
struct MiddlewareDraft {
    let registration: Registration?
    /// Returns the layer, which is created in the first call.
    let make: @Sendable (_ scope: Scope) async throws -> any Middleware

    init(_ middleware: any Middleware) {
        registration = nil
        make = { _ in middleware }
    }

    /// - Parameter index: The position in the list, because several layers may have the same type.
    init<Made: Middleware>(_ maker: FactoryMaker<Made>, index: Int, _ location: SourceLocation) {
        let name = DependencyName("middleware \(index + 1)")
        registration = Registration(shared: maker, .singleton, named: name, location)
        make = { scope in try await scope.value(named: name) as Made }
    }
}

extension ContainerCore {
    /// Creates the layers, unless they exist; each call waits for those that another one creates.
    func makeLayers(in scope: Scope) async throws {
        guard layerCount > 0, layers.object == nil else { return }
        var made: [any Middleware] = []
        for layer in blueprint.middleware { made.append(try await layer.make(scope)) }
        layers.publish(Made(made))
    }
}
