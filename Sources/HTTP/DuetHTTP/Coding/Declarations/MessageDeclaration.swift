import HTTPTypes

/// Checks that messages of a type can be read back as they were written.
struct MessageDeclaration {
    let layout: MessageLayout
    let method: HTTPRequest.Method

    /// The coding keys that the message's protocols require.
    let requirements: [String]

    /// The property that the body is read into, if the body is one property.
    let bodyKey: String?

    /// Whether the body is bytes or nil.
    let bodyMayBeMissing: Bool

    /// The defaults of parameters, by wire name, even if the message has no parameters.
    let defaults: [String: String]

    /// The names that the message itself sets, without those of the API.
    let ownNames: [String: String]

    let root = ReflectedSchema()
    let isComplete: Bool

    init<Message: HTTPMessage>(
        _ type: Message.Type,
        _ layout: MessageLayout,
        requirements: [String],
        bodyKey: String?
    ) {
        self.layout = layout
        method = Message.route.method.httpMethod
        self.requirements = requirements
        self.bodyKey = bodyKey
        bodyMayBeMissing = (type as? any BodyCommand.Type)?.mayLackBytes ?? false
        defaults = Message.route.parameterDefaults
        ownNames = Message.route.parameterNames
        isComplete = SchemaDecoder.reflect(type, root) { layout.defaults[layout.names.name($0)] }
    }

    /// Whether messages certainly have named properties.
    var hasProperties: Bool { isComplete && root.kind == .object && !root.properties.isEmpty }

    /// Whether certainly all properties are in the path.
    var isInPath: Bool {
        isComplete && root.properties.allSatisfy { layout.template.placeholders.contains(layout.names.name($0.key)) }
    }

    /// Whether a property may have a different name on the wire.
    ///
    /// Names of the API may be for other messages.
    var isRenamed: Bool {
        layout.names.keys != .asWritten || layout.names.own.keys.contains { knows($0) != false }
    }

    /// All faults, as sentences that follow the message's name.
    var faults: [String] {
        layout.template.faults.map { "in the path “\(layout.template.text)”, \($0)" }
            + shapeFaults + placeholderFaults + bodyFaults + requirementFaults + nameFaults + defaultFaults
            + root.openKeyFaults(layout.names.keys)
            + (layout.content == .object ? objectClashes(root, layout.names) : parameterFaults)
    }

    private var shapeFaults: [String] {
        switch root.kind {
        case .list, .dictionary, .scalar, .cases:
            ["is not encoded as properties with names. Make it a struct that is, with one property for its value."]
        case .unknown, .object: []
        }
    }

    // MARK: Path and body

    private func knows(_ key: String) -> Bool? {
        root.kind == .object ? root.knowsKey(key) : isComplete ? false : nil
    }

    private var placeholderFaults: [String] {
        layout.template.placeholders.compactMap { name in
            guard let key = root.key(name, layout.names), layout.place(of: key) == .path(name) else {
                guard root.kind == .object || isComplete else { return nil }
                if let bodyKey, layout.names.name(bodyKey) == name {
                    return "has {\(name)} in its path, but \(bodyKey) is its body. Remove the placeholder."
                }
                let wireName = layout.names.name(name)
                let correction =
                    wireName != name && knows(name) == true
                    ? "Write {\(wireName)}, the wire name of \(name)." : "Add one, or correct the placeholder."
                return "has {\(name)} in its path, but no property of this wire name. \(correction)"
            }
            guard let schema = root.properties.first(where: { $0.key == key })?.schema else { return nil }
            if schema.isOptional {
                return """
                    has {\(name)} in its path, but \(key) may be nil, which a path cannot represent. \
                    Make it non-optional.
                    """
            }
            switch schema.kind {
            case .list, .dictionary, .object, .cases:
                return "has {\(name)} in its path, but \(key) is more than one value. Move it out of the path."
            case .unknown, .scalar: return nil
            }
        }
    }

    private var bodyFaults: [String] {
        guard let bodyKey else { return [] }
        if bodyMayBeMissing {
            return ["has a body of bytes that may be nil, which bytes cannot represent. Make it non-optional."]
        }
        if layout.content == .none, method == .delete {
            return ["has a body, which a DELETE must not have (RFC 9110, section 9.3.5). Send it with another method."]
        }
        guard layout.content != .none, knows(bodyKey) == false else { return [] }
        return [
            "has a body, but no property \(bodyKey) for a server to read it into. Add one, or name another with bodyProperty."
        ]
    }

    private var requirementFaults: [String] {
        requirements.compactMap { key in
            let isLeftOut = isComplete && root.kind == .object && !root.properties.contains { $0.key == key }
            guard knows(key) == false || isLeftOut else { return nil }
            return """
                leaves out \(key), which its protocol requires. Give it the coding key \(key) and have it decoded; \
                for another name on the wire, set parameterNames.
                """
        }
    }

    private var nameFaults: [String] {
        ownNames.keys.sorted().compactMap { key in
            let isNested = layout.content != .object && root.allProperties.contains { $0.key == key }
            guard knows(key) == false, !isNested, isComplete || layout.content == .object else { return nil }
            return
                "gives \(key) a name in parameterNames, but has no property of this coding key. Correct or remove it."
        }
    }
}
