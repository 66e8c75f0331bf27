import Duet

/// The value that was loaded last, and the changes of commands above it in dispatch order.
struct OptimisticLayers<Value: Sendable>: Sendable {
    /// The change of one command.
    struct Layer {
        /// Identifies the command among those that change values of the query.
        let id: Int
        let update: @Sendable (inout Value) -> Void
        /// The success of the command; nil while it is running.
        var success: CommandSuccess?
        /// The epoch of its last commit.
        var committed: Epoch?

        func isContained(inLoadOf epoch: Epoch, _ version: CacheVersion? = nil) -> Bool {
            committed.map { $0 <= epoch } ?? false || success?.isContained(inLoadOf: epoch, version) == true
        }
    }

    /// The value that was loaded last.
    private(set) var base: Value?
    private var baseEpoch: Epoch = 0
    /// The base with all changes, or nil without a base.
    private(set) var value: Value?
    private var layers: [Layer]

    init(_ layers: [Layer]) {
        self.layers = layers
    }

    var isEmpty: Bool { layers.isEmpty }

    /// Whether changes of successful commands wait for a load that contains them.
    var areWaitingForLoad: Bool { layers.contains { $0.success != nil } }

    /// Whether a command has committed and still runs.
    var areCommitting: Bool { layers.contains { $0.success == nil && $0.committed != nil } }

    func contains(_ id: Int) -> Bool { layers.contains { $0.id == id } }

    /// Whether the base differs from its value with all changes.
    ///
    /// Values that cannot be compared differ if there are any changes.
    func areVisible(in value: Value) -> Bool {
        guard let base, !layers.isEmpty else { return false }
        return areEqual(base, value) != true
    }

    /// Whether the value would differ without a change; nil for values that cannot be compared.
    func isVisible(_ id: Int) -> Bool? {
        guard let value, let other = self.value(of: { $0.id != id }) else { return false }
        return areEqual(value, other).map { !$0 }
    }

    /// Makes one more change, which needs only itself, however many there are.
    mutating func add(_ layer: Layer) {
        layers.append(layer)
        guard var changed = value.take() else { return }
        layer.update(&changed)
        value = changed
    }

    mutating func noteCommit(of id: Int, at epoch: Epoch) {
        for index in layers.indices where layers[index].id == id { layers[index].committed = epoch }
    }

    mutating func remove(_ id: Int) { removeLayers { $0.id == id } }

    /// Notes that a command has succeeded, so that the next load contains its change.
    mutating func confirm(_ id: Int, by success: CommandSuccess) {
        for index in layers.indices where layers[index].id == id { layers[index].success = success }
    }

    /// Drops the changes of commands of which it is not known whether they succeeded, and returns whether there were
    /// any.
    mutating func removeUncertain() -> Bool {
        let count = layers.count
        removeLayers { $0.success?.isCertain == false }
        return layers.count < count
    }

    /// Replaces the base, and drops the changes that the new one contains.
    mutating func rebase(on value: Value, loadedIn epoch: Epoch, _ version: CacheVersion? = nil) {
        base = value
        baseEpoch = epoch
        removeLayers { $0.success != nil && $0.isContained(inLoadOf: epoch, version) }
    }

    /// Whether changes of successful commands would be left above a new base.
    func wouldWait(forLoadAfter epoch: Epoch, _ version: CacheVersion?) -> Bool {
        layers.contains { $0.success != nil && !$0.isContained(inLoadOf: epoch, version) }
    }

    /// Forgets the base, and keeps the changes of running commands.
    mutating func removeBase() {
        base = nil
        removeLayers { $0.success != nil }
    }

    private mutating func removeLayers(where isDone: (Layer) -> Bool) {
        layers.removeAll(where: isDone)
        value = value(of: { _ in true })
    }

    private func value(of isIncluded: (Layer) -> Bool) -> Value? {
        guard var value = base else { return nil }
        for layer in layers where isIncluded(layer) && !layer.isContained(inLoadOf: baseEpoch) { layer.update(&value) }
        return value
    }
}
