/// The compared ways to call a handler.
enum Subject: Hashable {
    /// The handler by its concrete type.
    case direct
    /// The handler by its protocol: the base of all ratios.
    case existential
    /// A dispatcher by its protocol, with a number of middleware layers.
    case layers(Int)
    /// A dispatcher by its protocol, with one layer that is not inlined.
    case plainLayer
    /// A dictionary of closures.
    case closures
    /// A struct of handlers with a `dispatch` method for each, by its concrete type, as `@Dispatcher` writes it.
    case checked
    /// A container's dispatcher by its protocol.
    case container(Registered)

    static let all =
        [direct, existential, layers(0), layers(1), layers(2), layers(3), plainLayer, closures, checked]
        + Registered.allCases.map(container)

    var name: String {
        switch self {
        case .direct: "concrete-handler"
        case .existential: "any-handler"
        case .layers(let count): count == 0 ? "any-dispatcher" : "layers-\(count)"
        case .plainLayer: "plain-layer"
        case .closures: "closures-by-name"
        case .checked: "checked-dispatcher"
        case .container(let registered): registered.name
        }
    }
}
