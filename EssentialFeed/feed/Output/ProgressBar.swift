import Synchronization

/// A bar on standard error that grows; nothing where that is not a terminal.
final class ProgressBar: Sendable {
    private static let width = 30

    private let label: String
    private let isShown: Bool
    private let shownPercent = Mutex(-1)

    init(_ label: String, isShown: Bool = Terminal.showsProgress) {
        self.label = label
        self.isShown = isShown
    }

    /// Shows how much is done; draws only what changes the picture.
    func update(done: Int, total: Int) {
        guard isShown, total > 0 else { return }
        let percent = min(100, done * 100 / total)
        shownPercent.withLock { shown in
            guard percent > shown else { return }
            shown = percent
            let filled = percent * Self.width / 100
            let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
            Terminal.writeError("\r\(label) \(bar) \(done)/\(total)\(percent == 100 ? "\n" : "")")
        }
    }
}
