import DuetContext
package import HTTPTypes

/// The error of a head whose text nothing may compare, because that could take minutes.
package struct InvalidHead: Error, CustomStringConvertible {
    package var description: String { "the head of the response \(ForeignText.markReason)" }
}

extension HTTPResponse {
    /// Checks the text of a received head.
    ///
    /// - Throws: ``InvalidHead`` if a field has more combining characters in a row than any language uses.
    package func checkText() throws(InvalidHead) {
        guard !ForeignText.hasLongRun(status.reasonPhrase.utf8),
            headerFields.allSatisfy({ !ForeignText.hasLongRun($0.value.utf8) })
        else { throw InvalidHead() }
    }
}
