/// Whether a response is stored.
package enum StoringDecision: Sendable, Hashable {
    /// The head as it is stored.
    ///
    /// ``StoredResponse/received(_:completely:)`` adds the body.
    case store(StoredResponse)
    case refuse(NotStored)

    package var stored: StoredResponse? {
        if case .store(let stored) = self { stored } else { nil }
    }

    package var refusal: NotStored? {
        if case .refuse(let reason) = self { reason } else { nil }
    }
}
