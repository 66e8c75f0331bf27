import Foundation
import GRDB

extension Error {
    /// What the system or SQLite says, in a few words and without what was asked of it.
    var reasonOfSystem: String {
        if let error = self as? DatabaseError { return error.reason }
        let error = self as NSError
        if let underlying = error.userInfo[NSUnderlyingErrorKey] as? any Error { return underlying.reasonOfSystem }
        guard error.domain == NSPOSIXErrorDomain, let text = unsafe strerror(Int32(error.code)) else {
            return "\(self)"
        }
        return unsafe String(cString: text)
    }
}
